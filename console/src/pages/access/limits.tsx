/** Limits of a key, a credential or a workspace: asked for, and said (G-11). */
import type { Shape } from '../../api/client.ts';
import { formatMoney, formatNumber } from '../../parts/format.ts';
import { NumberField } from '../../parts/number-field.tsx';
import { Grid } from '../../parts/page.tsx';
import { type Language, useLanguage, useSay } from '../../words/words.ts';
import styles from './access.module.css';
import { accessWords } from './words.ts';

export type Limits = NonNullable<Shape<'Key'>['limits']>;

export const LIMIT_NAMES = [
  'rpm',
  'tpm',
  'rpd',
  'concurrent',
  'tokens_per_day',
  'tokens_per_month',
  'usd_per_day',
  'usd_per_month',
] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];

const ofMoney = (name: LimitName): boolean => name.startsWith('usd_');
const NANO = 1_000_000_000;

/** A figure of a limit, in its unit. */
export function formatLimit(name: LimitName, value: number, language: Language): string {
  return ofMoney(name) ? formatMoney(value * NANO, language) : formatNumber(value, language);
}

/** The same limits with another figure; null takes one away. What else is among them stays. */
function withLimit(limits: Limits, name: LimitName, value: number | null): Limits {
  const { [name]: _before, ...others } = limits;
  return value === null ? others : { ...others, [name]: value };
}

export interface LimitFieldsProps {
  readonly limits: Limits;
  readonly onChange: (limits: Limits) => void;
}

export function LimitFields({ limits, onChange }: LimitFieldsProps) {
  const say = useSay(accessWords);
  return (
    <fieldset className={styles.group}>
      <legend>{say('limits')}</legend>
      <p className={styles.soft}>{say('limits_hint')}</p>
      <Grid min={180}>
        {LIMIT_NAMES.map((name) => (
          <NumberField
            key={name}
            label={say(`limit.${name}`)}
            value={limits[name] ?? null}
            onChange={(value) => onChange(withLimit(limits, name, value))}
            min={ofMoney(name) ? 0 : 1}
          />
        ))}
      </Grid>
    </fieldset>
  );
}

/** What a new object gets: nothing where there are none. */
export function limitsOf(limits: Limits): { readonly limits?: Limits } {
  return Object.keys(limits).length === 0 ? {} : { limits };
}

/** Those that are set, one a line. */
export function LimitsShown({ limits }: { readonly limits: Limits | undefined }) {
  const say = useSay(accessWords);
  const language = useLanguage();
  const set = LIMIT_NAMES.flatMap((name) => {
    const value = limits?.[name];
    return value === undefined ? [] : [{ name, value }];
  });
  if (set.length === 0) return <>{say('unlimited')}</>;
  return (
    <ul className={styles.lines}>
      {set.map(({ name, value }) => (
        <li key={name}>
          <span className={styles.soft}>{say(`limit.${name}`)}: </span>
          {formatLimit(name, value, language)}
        </li>
      ))}
    </ul>
  );
}

/** What a limit is called. */
export function useLimitWord(): (name: LimitName) => string {
  const say = useSay(accessWords);
  return (name) => say(`limit.${name}`);
}
