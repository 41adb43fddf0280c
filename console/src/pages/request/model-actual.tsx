/** „Model (actual)“: what was asked for, and who answered where that is another one. */
import { useSay } from '../../words/words.ts';
import type { RequestRecord } from './story.ts';
import { words } from './words.ts';

export interface ModelActualProps {
  readonly of: Pick<RequestRecord, 'requested_model' | 'served_model' | 'virtual_model'>;
  /** For lists: `asked → answered`. */
  readonly short?: boolean;
}

/** Whether another model answered than the one asked for by its own name, or the first of a virtual one's. */
export function isCovered({ requested_model, served_model }: ModelActualProps['of']): boolean {
  return served_model !== null && served_model !== requested_model;
}

export function ModelActual({ of, short = false }: ModelActualProps) {
  const say = useSay(words);
  const { requested_model: requested, served_model: served, virtual_model: virtual } = of;
  const asked = virtual ?? requested ?? say('no_model');
  if (short) return <>{served === null || served === asked ? asked : `${asked} → ${served}`}</>;
  if (served === null) return <>{say('answered_by_nobody', { asked })}</>;
  return <>{served === asked ? asked : say('answered_by', { asked, served })}</>;
}
