/** The targets of a plan in order, marked where they stood elsewhere before; then those that are left out. */
import { useState } from 'react';
import { Badge } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/button.tsx';
import { Money, Time } from '../../../parts/figures.tsx';
import { useTerm } from '../../../words/trace.ts';
import { useSay } from '../../../words/words.ts';
import { words } from '../words.ts';
import { gone, type LeftOut, type Marked, marked, type Plan, targetId } from './plan-marks.ts';
import styles from './preview.module.css';
import { credentialOf } from './verdict.tsx';

/** More than these hide what comes after them. */
const SHOWN = 8;

export function TargetList({ plan, before }: { readonly plan: Plan; readonly before: Plan | null }) {
  const say = useSay(words);
  const [all, setAll] = useState(false);
  const rows = marked(plan, before);
  const dropped = gone(plan, before);
  const unreached = new Set(plan.models.filter(({ reachable }) => !reachable).map(({ model }) => model));
  const shown = all ? rows : rows.slice(0, SHOWN);
  if (rows.length === 0 && dropped.length === 0) return null;
  return (
    <>
      <ol className={styles.targets} aria-label={say('targets_label')}>
        {shown.map((row) => (
          <TargetRow key={targetId(row.target)} row={row} unreached={unreached.has(row.target.model)} />
        ))}
      </ol>
      {shown.length < rows.length && (
        <div>
          <Button small onPress={() => setAll(true)}>
            {say('show_all', { count: rows.length - shown.length })}
          </Button>
        </div>
      )}
      {dropped.length > 0 && (
        <>
          <h3>{say('gone')}</h3>
          <ul className={styles.targets}>
            {dropped.map((target) => (
              <li key={targetId(target)} className={styles.target} data-gone="true">
                <span className={styles.model}>{target.model}</span>
                <span className={styles.way}>
                  {target.channel}, {credentialOf(target, say)}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function TargetRow({ row: { target, place, was }, unreached }: { readonly row: Marked; readonly unreached: boolean }) {
  const say = useSay(words);
  const { model, channel, state, incapable, worst_cost_nano_usd: worst } = target;
  return (
    <li className={styles.target} data-changed={was !== undefined && was !== place}>
      <span className={styles.place}>{place}</span>
      <span className={styles.model}>{model}</span>
      <span className={styles.way}>
        {channel}, {credentialOf(target, say)}
      </span>
      <span className={styles.marks}>
        {was === null && <Badge tone="info">{say('is_new')}</Badge>}
        {was !== undefined && was !== null && was !== place && (
          <Badge tone="info">{say('was_place', { place: was })}</Badge>
        )}
        {state !== 'ok' && <Badge tone="warn">{say(`state_${state}`)}</Badge>}
        {incapable !== null && (
          <Badge tone="warn">
            {incapable === 'passed_over' ? say('passed_over') : say('incapable', { what: incapable })}
          </Badge>
        )}
        {unreached && (
          <Badge tone="off" title={say('not_reached_why', { model })}>
            {say('not_reached')}
          </Badge>
        )}
        <span className={styles.cost}>{worst === null ? say('worst_unknown') : <WorstCost nano={worst} />}</span>
      </span>
    </li>
  );
}

function WorstCost({ nano }: { readonly nano: number }) {
  const say = useSay(words);
  const [before = '', after = ''] = say('worst', { money: '\u0000' }).split('\u0000');
  return (
    <>
      {before}
      <Money nano={nano} />
      {after}
    </>
  );
}

/** What is not tried, and why. */
export function LeftOutList({ plan }: { readonly plan: Plan }) {
  const say = useSay(words);
  const skipped = plan.models.filter(({ skipped: why }) => why !== null);
  if (plan.left_out.length === 0 && skipped.length === 0) return <p className={styles.soft}>{say('left_out_none')}</p>;
  return (
    <ul className={styles.targets}>
      {plan.left_out.map((one) => (
        <li key={targetId(one)} className={styles.target}>
          <span className={styles.model}>{one.model}</span>
          <span className={styles.way}>
            {one.channel}
            {one.credential !== null && ` · ${one.credential}`}
          </span>
          <Why reason={one.reason} back={one.available_at} />
        </li>
      ))}
      {skipped.map(
        ({ model, skipped: why }) =>
          why !== null &&
          !plan.left_out.some((one) => one.model === model) && (
            <li key={model} className={styles.target}>
              <span className={styles.model}>{model}</span>
              <Why reason={why.reason} back={why.available_at} />
            </li>
          ),
      )}
    </ul>
  );
}

function Why({ reason, back }: { readonly reason: LeftOut['reason']; readonly back: string | null }) {
  const say = useSay(words);
  const term = useTerm();
  return (
    <span className={styles.marks}>
      <Badge tone="warn">{term('skip', reason)}</Badge>
      {back !== null && (
        <span className={styles.cost}>
          {say('back_at')} <Time at={back} />
        </span>
      )}
    </span>
  );
}
