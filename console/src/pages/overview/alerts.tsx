/** Alerts that are on, with what to do; and what was told of late. */
import { Link } from 'react-router';
import { Badge } from '../../parts/badge.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Time } from '../../parts/figures.tsx';
import { formatDuration, formatNumber } from '../../parts/format.ts';
import { Section } from '../../parts/page.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Icon } from '../../shell/icons.tsx';
import { type Language, useLanguage, useSay } from '../../words/words.ts';
import styles from './alerts.module.css';
import { targetsOf } from './headline.tsx';
import type { Alert } from './shape.ts';
import { useAlerts } from './use-overview.ts';
import { words } from './words.ts';

/** Older news than these are in the log. */
const MOST_LATE = 5;

type Figure = 'share' | 'number' | 'time';

interface Kind {
  readonly figure?: Figure;
  readonly to?: (subject: string) => string;
}

/** How the figures of a kind are written, and where one looks next. */
const KINDS = {
  retry_rate: { figure: 'share', to: () => '/targets?state=trouble' },
  retry_success: { figure: 'share', to: () => '/targets?state=trouble' },
  mean_retries: { figure: 'number', to: () => '/targets?state=trouble' },
  fallback_rate: { figure: 'share', to: () => '/requests?failover=true' },
  p99: { figure: 'time', to: () => '/requests' },
  channel_slowed: { figure: 'number', to: targetsOf },
  credential_unhealthy: { to: () => '/credentials' },
  balance_empty: { to: (workspace) => `/workspaces/${encodeURIComponent(workspace)}` },
  circuit_open: { to: targetsOf },
  shared_lost: {},
  store_lost: {},
} as const satisfies Record<string, Kind>;

type Known = keyof typeof KINDS;

/** Null: this console does not know it yet. */
const knownOf = (kind: string): Known | null => {
  const name = kind.replace(/^alert\./, '');
  return Object.hasOwn(KINDS, name) ? (name as Known) : null;
};

function written(value: number | null, figure: Figure | undefined, language: Language): string {
  if (figure === 'time') return formatDuration(value);
  if (figure === 'share') return value === null ? '–' : `${formatNumber(value * 100, language, 1)} %`;
  return formatNumber(value, language, 2);
}

export function Alerts({ live }: { readonly live: boolean }) {
  const say = useSay(words);
  const { data, error, refetch } = useAlerts(live);
  const on = data?.filter(({ state }) => state === 'active') ?? [];
  const late = data?.filter(({ state }) => state !== 'active').slice(0, MOST_LATE) ?? [];
  if (data !== undefined && on.length === 0 && late.length === 0) {
    return (
      <section className={styles.slim} aria-label={say('alerts.title')}>
        <Icon name="check" size={16} /> {say('alerts.none')}
      </section>
    );
  }
  return (
    <Section title={say('alerts.title')}>
      {data === undefined && error === null && <Skeleton lines={2} />}
      {error !== null && data === undefined && <ErrorBox error={error} onRetry={() => void refetch()} />}
      {data !== undefined && on.length === 0 && <p className={styles.none}>{say('alerts.none')}</p>}
      <ul className={styles.list}>
        {on.map((alert) => (
          <On key={`${alert.kind} ${alert.subject}`} alert={alert} />
        ))}
      </ul>
      {late.length > 0 && (
        <>
          <h3 className={styles.late}>{say('alerts.late')}</h3>
          <ul className={styles.list}>
            {late.map((alert) => (
              <Late key={`${alert.kind} ${alert.message} ${alert.last_at}`} alert={alert} />
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}

function On({ alert }: { readonly alert: Alert }) {
  const say = useSay(words);
  const language = useLanguage();
  const { kind, subject, message, value, threshold, first_at: since } = alert;
  const name = knownOf(kind);
  const { figure, to }: Kind = name === null ? {} : KINDS[name];
  const values = {
    subject: subject ?? '',
    value: written(value, figure, language),
    threshold: written(threshold, figure, language),
  };
  return (
    <li className={styles.alert}>
      <Badge tone="bad">{say('alerts.on')}</Badge>
      <div className={styles.words}>
        <p className={styles.text}>{name === null ? message : say(`alert.${name}`, values)}</p>
        {name !== null && <p className={styles.soft}>{say(`do_alert.${name}`)}</p>}
        <p className={styles.soft}>
          {say('alerts.on_since')} <Time at={since} />
          {to !== undefined && (
            <>
              {' · '}
              <Link to={to(subject ?? '')}>{say('alerts.see')}</Link>
            </>
          )}
        </p>
      </div>
    </li>
  );
}

function Late({ alert }: { readonly alert: Alert }) {
  const say = useSay(words);
  const language = useLanguage();
  const { message, state, count, last_at: last, request_id: request } = alert;
  return (
    <li className={styles.alert}>
      <Badge>{say(state === 'over' ? 'alerts.over' : 'alerts.told')}</Badge>
      <div className={styles.words}>
        <p className={styles.soft}>{message}</p>
        <p className={styles.soft}>
          {count > 1 && `${say('alerts.times', { count, n: formatNumber(count, language) })} · `}
          {say('alerts.last')} <Time at={last} />
          {request !== null && (
            <>
              {' · '}
              <Link to={`/requests/${encodeURIComponent(request)}`}>{say('alerts.request')}</Link>
            </>
          )}
        </p>
      </div>
    </li>
  );
}
