/** The facts of a request: who, when, how long, what it cost; then what is true of some requests only. */
import { Link } from 'react-router';
import { Duration, Money, Time } from '../../parts/figures.tsx';
import { IdText } from '../../parts/id-text.tsx';
import { type Fact, KeyValue } from '../../parts/key-value.tsx';
import { Section } from '../../parts/page.tsx';
import { useTerm } from '../../words/trace.ts';
import { type Say, useSay } from '../../words/words.ts';
import styles from './page.module.css';
import type { RequestRecord } from './story.ts';
import type { en } from './words.en.ts';
import { words } from './words.ts';

function usageFacts({ usage }: RequestRecord, say: Say<typeof en>): Fact[] {
  if (usage === null) return [];
  const figures = { in: usage.input_tokens ?? '?', out: usage.output_tokens ?? '?' };
  return [
    {
      name: say('fact.tokens'),
      value: say(usage.estimated === true ? 'fact.tokens_estimated' : 'fact.tokens_value', figures),
    },
    ...(usage.cached_tokens ? [{ name: say('fact.cached_tokens'), value: usage.cached_tokens }] : []),
    ...(usage.reasoning_tokens ? [{ name: say('fact.reasoning_tokens'), value: usage.reasoning_tokens }] : []),
  ];
}

/** The gateway's own facts about every request. */
export function Facts({ record }: { readonly record: RequestRecord }) {
  const say = useSay(words);
  const { cost_nano_usd: cost, waste_nano_usd: waste, clamped = [] } = record;
  const facts: Fact[] = [
    { name: say('fact.at'), value: <Time at={record.at} exact /> },
    { name: say('fact.took'), value: <Duration ms={record.latency_ms} /> },
    ...(record.ttft_ms === null ? [] : [{ name: say('fact.first_token'), value: <Duration ms={record.ttft_ms} /> }]),
    {
      name: say('fact.endpoint'),
      value: record.stream ? say('fact.stream', { endpoint: record.endpoint }) : record.endpoint,
    },
    { name: say('fact.workspace'), value: record.workspace },
    ...(record.key === null
      ? []
      : [
          {
            name: say('fact.key'),
            value: <Link to={`/requests?${new URLSearchParams({ key: record.key })}`}>{record.key}</Link>,
          },
        ]),
    { name: say('fact.policy'), value: record.policy },
    ...(record.chain.length === 0 ? [] : [{ name: say('fact.chain'), value: record.chain.join(' → ') }]),
    ...(record.client_request_id === null
      ? []
      : [
          {
            name: say('fact.client_request_id'),
            value: <IdText text={record.client_request_id} name={say('fact.client_request_id')} />,
          },
        ]),
    ...usageFacts(record, say),
    { name: say('fact.cost'), value: cost === null ? say('fact.price_unknown') : <Money nano={cost} /> },
    { name: say('fact.waste'), value: waste === null || waste === 0 ? say('fact.nothing') : <Money nano={waste} /> },
    { name: say('fact.upstream_calls'), value: record.upstream_calls },
    ...clamped.map(({ field, asked, given }) => ({
      name: say('fact.clamped'),
      value: say('fact.clamped_value', { field, asked, given }),
    })),
  ];
  return (
    <Section title={say('part.facts')}>
      <KeyValue facts={facts} />
    </Section>
  );
}

/** Degraded, idempotency, the client's own retries, the job: each where there is something to say. */
export function Circumstances({ record }: { readonly record: RequestRecord }) {
  const say = useSay(words);
  const term = useTerm();
  const { idempotency, client_retry: retry, job } = record;
  return (
    <>
      {record.degraded && (
        <Section title={say('part.degraded')}>
          <ul className={styles.reasons}>
            {record.degraded_reasons.map((reason) => (
              <li key={reason}>{term('degraded', reason)}</li>
            ))}
          </ul>
        </Section>
      )}
      {idempotency !== null && <Idempotency idempotency={idempotency} id={record.id} />}
      {retry.count > 0 && (
        <Section title={say('part.retries')}>
          <p>
            {say('retry.nth', { count: retry.count })} (
            {say(retry.how === 'header' ? 'retry.header' : 'retry.fingerprint')})
          </p>
          <p>{say('retry.calls', { count: retry.upstream_calls })}</p>
        </Section>
      )}
      {job !== undefined && (
        <Section title={say('part.job')}>
          <p>{job.try === 0 ? say('job.made') : say('job.try', { count: job.try })}</p>
          <KeyValue facts={[{ name: say('job.id'), value: <IdText text={job.id} name={say('job.id')} /> }]} />
        </Section>
      )}
    </>
  );
}

type Idempotency = NonNullable<RequestRecord['idempotency']>;

function Idempotency({ idempotency, id }: { readonly idempotency: Idempotency; readonly id: string }) {
  const say = useSay(words);
  const term = useTerm();
  const original = idempotency.original_request_id ?? null;
  return (
    <Section title={say('part.idempotency')}>
      <KeyValue
        facts={[
          { name: say('idempotency.role'), value: term('role', idempotency.role) },
          { name: say('idempotency.state'), value: term('key', idempotency.state) },
          { name: say('idempotency.round'), value: idempotency.round },
          ...(original === null || original === id
            ? []
            : [
                {
                  name: say('idempotency.original'),
                  value: <Link to={`/requests/${encodeURIComponent(original)}`}>{original}</Link>,
                },
              ]),
          {
            name: say('idempotency.hash'),
            value: <IdText text={idempotency.key_hash} name={say('idempotency.hash')} />,
          },
        ]}
      />
      <Link to={`/requests?${new URLSearchParams({ idempotency: idempotency.key_hash })}`}>
        {say('idempotency.same')}
      </Link>
    </Section>
  );
}
