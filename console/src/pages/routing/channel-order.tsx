/** How a workspace orders the channels of a model: the strategy, and whether callers stay where they were. */
import { Section } from '../../parts/page.tsx';
import { Select } from '../../parts/select.tsx';
import { useSay } from '../../words/words.ts';
import { AFFINITIES, type Affinity, type Draft, STRATEGIES, type Strategy } from './draft.ts';
import styles from './routing.module.css';
import { words } from './words.ts';

export interface ChannelOrderProps {
  readonly draft: Draft;
  readonly change: (part: Partial<Draft>) => void;
}

export function ChannelOrder({ draft: { routing }, change }: ChannelOrderProps) {
  const say = useSay(words);
  const { strategy: _, ...withoutStrategy } = routing;
  const { affinity: __, ...withoutAffinity } = routing;
  return (
    <Section title={say('order')} about={say('order_about')}>
      <div className={styles.pair}>
        <Select
          label={say('strategy')}
          options={STRATEGIES.map((id) => ({ id, label: say(`strategy_${id}`), note: say(`strategy_${id}_note`) }))}
          value={routing.strategy ?? 'priority'}
          hint={say(`strategy_${routing.strategy ?? 'priority'}_note`)}
          onChange={(id) =>
            change({ routing: id === 'priority' ? withoutStrategy : { ...routing, strategy: id as Strategy } })
          }
        />
        <Select
          label={say('affinity')}
          options={AFFINITIES.map((id) => ({ id, label: say(`affinity_${id}`) }))}
          value={routing.affinity ?? 'none'}
          hint={say('affinity_note')}
          onChange={(id) =>
            change({ routing: id === 'none' ? withoutAffinity : { ...routing, affinity: id as Affinity } })
          }
        />
      </div>
    </Section>
  );
}
