/** One way to a model: where it leads, what it costs, what bounds it, and what the workspace wants of it. */
import type { Shape } from '../../api/client.ts';
import { Badge } from '../../parts/badge.tsx';
import { formatNumber } from '../../parts/format.ts';
import { type Fact, KeyValue } from '../../parts/key-value.tsx';
import { Switch } from '../../parts/switch.tsx';
import { type Language, type Say, useLanguage, useSay } from '../../words/words.ts';
import styles from './routing.module.css';
import type { Channel } from './use-models.ts';
import type { en } from './words.en.ts';
import { words } from './words.ts';

type Price = Shape<'Price'>;
interface Choice {
  readonly prefer: boolean;
  readonly byok_only: boolean;
}

export interface ChannelCardProps {
  readonly channel: Channel;
  readonly workspace: string;
  readonly choice: Choice;
  readonly onChoose: (choice: Choice) => void;
}

export function ChannelCard({ channel, workspace, choice, onChoose }: ChannelCardProps) {
  const say = useSay(words);
  const language = useLanguage();
  const {
    channel: name,
    provider,
    upstream_model: there,
    region,
    max_privacy,
    priority,
    weight,
    credentials,
  } = channel;
  const price = channel.price === null ? say('price_unknown') : priceWords(channel.price, say, language);
  const facts: Fact[] = [
    { name: say('provider'), value: provider },
    { name: say('upstream'), value: there },
    { name: say('priority'), value: priority },
    { name: say('weight'), value: weight },
    ...(region === null ? [] : [{ name: say('region'), value: region }]),
    { name: say('privacy'), value: privacyWord(max_privacy, say) },
    {
      name: say('price'),
      value: (
        <>
          {price} {channel.price !== null && <Source channel={channel} />}
        </>
      ),
    },
    { name: say('limits'), value: limitWords(channel.limits, say, language) },
    { name: say('credentials'), value: credentials.length === 0 ? say('no_credentials') : credentials.join(', ') },
  ];
  return (
    <li className={styles.channel}>
      <h4 className={styles.channelName}>{name}</h4>
      <KeyValue facts={facts} />
      <div className={styles.switches}>
        <span className={styles.soft}>{say('choices', { workspace })}</span>
        <Switch on={choice.prefer} onChange={(prefer) => onChoose({ ...choice, prefer })}>
          <span title={say('prefer_channel', { channel: name })}>{say('prefer')}</span>
          <span className={styles.unseen}> {name}</span>
        </Switch>
        <Switch on={choice.byok_only} onChange={(byok_only) => onChoose({ ...choice, byok_only })}>
          <span title={say('byok_only_channel', { channel: name })}>{say('byok_only')}</span>
          <span className={styles.unseen}> {name}</span>
        </Switch>
      </div>
    </li>
  );
}

/** Whose figure the price is. */
function Source({ channel: { catalogued } }: Pick<ChannelCardProps, 'channel'>) {
  const say = useSay(words);
  const from = catalogued?.price;
  if (from === undefined) return <Badge plain>{say('configured')}</Badge>;
  const { date, estimate } = from;
  return (
    <Badge plain>
      {estimate === null ? say('catalogued', { date }) : say('catalogue_estimate', { date, why: estimate })}
    </Badge>
  );
}

const PRIVACY = ['public', 'internal', 'confidential', 'restricted'] as const;

function privacyWord(level: string, say: Say<typeof en>): string {
  const known = PRIVACY.find((one) => one === level);
  return known === undefined ? level : say(`privacy_${known}`);
}

function dollars(value: number | null, say: Say<typeof en>, language: Language): string {
  return value === null ? say('price_unknown') : `$${formatNumber(value, language, 6)}`;
}

function priceWords({ input, output, tiers }: Price, say: Say<typeof en>, language: Language): string {
  const both = say('price_in_out', { input: dollars(input, say, language), output: dollars(output, say, language) });
  const [tier] = tiers ?? [];
  return tier === undefined ? both : `${both}; ${say('price_tiers', { tokens: formatNumber(tier.above, language) })}`;
}

const LIMITS = [
  'rpm',
  'tpm',
  'rpd',
  'concurrent',
  'tokens_per_day',
  'tokens_per_month',
  'usd_per_day',
  'usd_per_month',
] as const;

function limitWords(limits: Channel['limits'], say: Say<typeof en>, language: Language): string {
  const given = LIMITS.flatMap((name) => {
    const n = (limits as Readonly<Record<string, unknown>> | null)?.[name];
    return typeof n === 'number' ? [say(`limit_${name}`, { n: formatNumber(n, language, 2) })] : [];
  });
  return given.length === 0 ? say('no_limits') : given.join(', ');
}
