/** What a member is shown of a request. */
import type { Shape } from '../../api/client.ts';
import { Badge } from '../../parts/badge.tsx';
import { Duration, Money, Time } from '../../parts/figures.tsx';
import { formatDuration } from '../../parts/format.ts';
import { IdText } from '../../parts/id-text.tsx';
import { KeyValue } from '../../parts/key-value.tsx';
import { Row, Section } from '../../parts/page.tsx';
import { useTerm } from '../../words/trace.ts';
import { type Say, useSay, useWords } from '../../words/words.ts';
import { outcomeTone } from '../request/outcome-tone.ts';
import styles from './page.module.css';
import type { en } from './words.en.ts';
import { words } from './words.ts';

type Own = Shape<'OwnRequest'>;

function said(request: Own, say: Say<typeof en>): string {
  const { ending, status, error_code, requested_model: asked, served_model: served } = request;
  const ms = formatDuration(request.latency_ms);
  if (ending === 'client_closed') return say('said.left');
  if (ending === 'interrupted') return say('said.cut');
  if (served === null) return say('said.failed', { ms, status, code: error_code ?? '' });
  return served === asked || asked === null
    ? say('said.answered', { served, ms })
    : say('said.covered', { asked, served, ms });
}

export function OwnRequest({ request }: { readonly request: Own }) {
  const say = useSay(words);
  const shared = useWords();
  const term = useTerm();
  const { requested_model: asked, served_model: served, usage, cost_nano_usd: cost, endpoint } = request;
  return (
    <Section title={shared('page.request')}>
      <Row>
        <IdText text={request.id} name={say('id')} />
        <Badge tone={outcomeTone(request)}>
          {request.status} {shared(`outcome.${request.outcome}`)}
        </Badge>
      </Row>
      <p className={styles.said}>{said(request, say)}</p>
      <KeyValue
        facts={[
          {
            name: say('fact.model'),
            value: [asked, ...(served === asked ? [] : [served])].filter(Boolean).join(' → '),
          },
          { name: say('fact.at'), value: <Time at={request.at} exact /> },
          { name: say('fact.took'), value: <Duration ms={request.latency_ms} /> },
          ...(request.ttft_ms === null
            ? []
            : [{ name: say('fact.first_token'), value: <Duration ms={request.ttft_ms} /> }]),
          { name: say('fact.endpoint'), value: request.stream ? say('fact.stream', { endpoint }) : endpoint },
          { name: say('fact.key'), value: request.key ?? '–' },
          ...(request.client_request_id === null
            ? []
            : [{ name: say('fact.client_request_id'), value: <IdText text={request.client_request_id} /> }]),
          ...(usage === null
            ? []
            : [
                {
                  name: say('fact.tokens'),
                  value: say('fact.tokens_value', { in: usage.input_tokens ?? '?', out: usage.output_tokens ?? '?' }),
                },
              ]),
          { name: say('fact.cost'), value: cost === null ? say('fact.price_unknown') : <Money nano={cost} /> },
          ...(request.degraded
            ? [
                {
                  name: say('fact.degraded'),
                  value: request.degraded_reasons.map((reason) => term('degraded', reason)).join('; '),
                },
              ]
            : []),
        ]}
      />
      <p className={styles.soft}>{say('trace')}</p>
    </Section>
  );
}
