/** Overview: what is wrong now, what covers for it, what it costs, what to do (O-5). */
import { useState } from 'react';
import { ErrorBox } from '../../parts/error-box.tsx';
import { formatClock } from '../../parts/format.ts';
import { Page } from '../../parts/page.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Switch } from '../../parts/switch.tsx';
import { useLanguage, useSay } from '../../words/words.ts';
import { Alerts } from './alerts.tsx';
import { MoneyChart, TrafficChart } from './charts.tsx';
import { CoveringTable } from './covering.tsx';
import { FailingTable } from './failing.tsx';
import { Headline } from './headline.tsx';
import { Latency } from './latency.tsx';
import styles from './page.module.css';
import { Rates } from './rates.tsx';
import { NOW_WINDOW, useTimeWindow, WINDOWS } from './time-window.ts';
import { useOverview } from './use-overview.ts';
import { words } from './words.ts';

export default function OverviewPage() {
  const say = useSay(words);
  const language = useLanguage();
  const [name, choose] = useTimeWindow();
  const [live, setLive] = useState(true);
  const now = useOverview(NOW_WINDOW, live);
  const view = useOverview(name, live);
  const overview = view.data;
  return (
    <Page
      title={say('title')}
      actions={
        <>
          {overview !== undefined && (
            <span className={styles.as_of}>{say('as_of', { time: formatClock(view.dataUpdatedAt, language) })}</span>
          )}
          <Switch on={live} onChange={setLive}>
            {say('live')}
          </Switch>
          <Segments
            label={say('window')}
            options={WINDOWS.map((id) => ({ id, label: say(`window.${id}`) }))}
            value={name}
            onChange={choose}
          />
        </>
      }
    >
      {now.data !== undefined && <Headline overview={now.data} />}
      {now.data === undefined && now.error === null && <Skeleton lines={4} />}
      <ErrorBox error={now.error ?? view.error} onRetry={() => void Promise.all([now.refetch(), view.refetch()])} />
      <Alerts live={live} />
      {overview === undefined ? (
        view.error === null && <Skeleton lines={10} />
      ) : (
        <>
          {overview.since !== null && (
            <p className={styles.soft}>{say('since', { time: formatClock(Date.parse(overview.since), language) })}</p>
          )}
          <Rates overview={overview} />
          <FailingTable rows={overview.failing} />
          <CoveringTable rows={overview.covering} />
          <TrafficChart overview={overview} />
          <div className={styles.halves}>
            <Latency overview={overview} />
            <MoneyChart overview={overview} />
          </div>
        </>
      )}
    </Page>
  );
}
