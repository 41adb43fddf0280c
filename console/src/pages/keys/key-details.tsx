/** One key: whether it is served, what it used of its limits, what its requests cost in calls and money. */
import { Button, LinkButton } from '../../parts/button.tsx';
import { Drawer } from '../../parts/dialog.tsx';
import { Count, Money, Time } from '../../parts/figures.tsx';
import { formatMoney, formatNumber } from '../../parts/format.ts';
import { KeyValue } from '../../parts/key-value.tsx';
import { Grid, Row, Section, Stack } from '../../parts/page.tsx';
import { Stat } from '../../parts/stat.tsx';
import { useSession } from '../../session/session.ts';
import { useLanguage, useSay } from '../../words/words.ts';
import { formatLimit, useLimitWord } from '../access/limits.tsx';
import { instantMs } from '../access/local-time.ts';
import { StateOf } from '../access/managed.tsx';
import { LinesShown } from '../access/text-lists.tsx';
import { UsedShare } from '../access/used-limit.tsx';
import { keyBadge, WhyNot } from './key-state.tsx';
import { callsPerRequest, type Key, type KeySum, usedLimits } from './key-use.ts';
import { words } from './words.ts';

export interface KeyDetailsProps {
  readonly of: Key;
  readonly sum: KeySum | undefined;
  readonly onLift: () => void;
  readonly onClose: () => void;
}

const NANO = 1_000_000_000;

export function KeyDetails({ of: key, sum, onLift, onClose }: KeyDetailsProps) {
  const say = useSay(words);
  const { role } = useSession();
  const language = useLanguage();
  const { usage, breaker } = key;
  const period = ({ requests, tokens, spend_usd: spend }: Key['usage']['day']) => ({
    value: <Money nano={spend * NANO} />,
    note: `${say('requests', { count: requests, n: formatNumber(requests, language) })} · ${say('tokens', { n: formatNumber(tokens, language) })}`,
  });
  const end = key.expires_at === undefined ? null : instantMs(key.expires_at);
  const facts = [
    { name: say('in_flight'), value: <Count value={usage.in_flight} /> },
    { name: say('models'), value: <LinesShown lines={ownModels(key)} none={say('models_all')} /> },
    { name: say('expires'), value: end === null ? say('never') : <Time at={end} exact /> },
    { name: say('rehearse_name'), value: say(key.allow_rehearse ? 'allowed' : 'not_allowed') },
    ...(key.created_at === null ? [] : [{ name: say('created'), value: <Time at={key.created_at} exact /> }]),
  ];
  return (
    <Drawer title={key.name} open onClose={onClose}>
      <Stack>
        <StateOf object={key}>{keyBadge(key, (trouble) => say(`state.${trouble}`))}</StateOf>
        <WhyNot of={key} />
        {breaker.state !== 'ok' &&
          (role === 'account_admin' ? (
            <div>
              <Button kind="main" onPress={onLift}>
                {say('lift')}
              </Button>
            </div>
          ) : (
            <p>{say('lift_not')}</p>
          ))}
        <Section title={say('limits_title')} bare>
          <LimitList of={key} />
        </Section>
        <Section title={say('usage_title')} bare>
          <Grid min={160}>
            <Stat label={say('today')} {...period(usage.day)} />
            <Stat label={say('month')} {...period(usage.month)} />
          </Grid>
        </Section>
        <Section title={say('calls_hint')} bare>
          <CallsOf sum={sum} />
        </Section>
        <KeyValue facts={facts} />
        <Row>
          <LinkButton to={`/requests?key=${encodeURIComponent(key.name)}`}>{say('its_requests')}</LinkButton>
          <LinkButton to={`/audit?object=${encodeURIComponent(`key ${key.name}`)}`}>{say('its_audit')}</LinkButton>
        </Row>
      </Stack>
    </Drawer>
  );
}

/** `*` alone is no choice. */
function ownModels({ models = [] }: Key): readonly string[] {
  return models.length === 1 && models[0] === '*' ? [] : models;
}

function LimitList({ of: key }: { readonly of: Key }) {
  const say = useSay(words);
  const language = useLanguage();
  const limitWord = useLimitWord();
  const limits = usedLimits(key);
  if (limits.length === 0) return <p>{say('limits_none')}</p>;
  const facts = limits.map(({ name, used, most }) => {
    const [left, right] = [used ?? 0, most].map((value) => formatLimit(name, value, language));
    return {
      name: limitWord(name),
      value:
        used === null ? (
          say('limit_most', { most: right ?? '' })
        ) : (
          <UsedShare used={used} most={most} of={say('limit_used', { used: left ?? '', most: right ?? '' })} />
        ),
    };
  });
  return <KeyValue facts={facts} />;
}

function CallsOf({ sum }: { readonly sum: KeySum | undefined }) {
  const say = useSay(words);
  const language = useLanguage();
  const calls = callsPerRequest(sum);
  if (sum === undefined || calls === null) return <p>{say('calls.none')}</p>;
  const figure = (value: number) => formatNumber(value, language);
  const retries = sum.client_retries;
  return (
    <>
      <Grid min={160}>
        <Stat label={say('calls')} value={<Count value={calls} digits={2} />} />
        <Stat
          label={say('money')}
          value={<Money nano={sum.cost_nano_usd} />}
          note={say('money.waste', { waste: formatMoney(sum.waste_nano_usd, language) })}
        />
      </Grid>
      <p>
        {say('calls.why', { calls: figure(sum.upstream_calls), requests: figure(sum.requests - retries) })}{' '}
        {retries > 0 && say('calls.retries', { count: retries, n: figure(retries) })}
      </p>
    </>
  );
}
