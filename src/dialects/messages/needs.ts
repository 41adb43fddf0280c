/** What a request needs of a model (P-6), in the catalogue's words. */
import type { Needs } from '../../core/request/capabilities.ts';
import type { Degrade } from '../../core/request/redundancy-types.ts';
import { type BodyView, readString, valueByte } from '../bytes/body-view.ts';
import { OPEN_BRACE, OPEN_BRACKET } from '../bytes/json-grammar.ts';
import { objectAt, objectsIn } from '../bytes/nested.ts';
import { fieldsToDrop } from './degrade.ts';
import { BLOCK_INPUTS, mediaBlocks } from './media-blocks.ts';

/** What `degrade` drops is not needed. Nothing of the body is read before it is asked for. */
export function requestNeeds(view: BodyView, degrade: Degrade | null): Needs {
  let inputs: string[] | null = null;
  let features: string[] | null = null;
  return {
    input(missing) {
      if (inputs === null && ![...BLOCK_INPUTS].some(missing)) return undefined;
      inputs ??= mediaBlocks(view);
      return inputs.find(missing);
    },
    feature(missing) {
      features ??= featuresOf(view, degrade);
      return features.find(missing);
    },
  };
}

function featuresOf(view: BodyView, degrade: Degrade | null): string[] {
  const dropped = new Set(degrade === null ? [] : fieldsToDrop(degrade));
  const has = (key: string, first: number): boolean => !dropped.has(key) && valueByte(view, key) === first;
  const used: string[] = [];
  if (has('tools', OPEN_BRACKET) && objectsIn(view, 'tools').length > 0) used.push('tools');
  const config = has('output_config', OPEN_BRACE) ? objectAt(view, 'output_config') : null;
  const format = config !== null && !dropped.has('output_config.format') && valueByte(config, 'format') === OPEN_BRACE;
  if (format || has('output_format', OPEN_BRACE)) used.push('json_schema');
  if (degrade?.reasoning_effort !== 'none' && has('thinking', OPEN_BRACE) && isThinking(view)) used.push('reasoning');
  return used;
}

function isThinking(view: BodyView): boolean {
  const thinking = objectAt(view, 'thinking');
  return thinking !== null && readString(thinking, 'type') !== 'disabled';
}
