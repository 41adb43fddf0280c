/** What a request needs of its model, in the catalogue's words (P-6). */
import type { Needs } from '../../core/request/capabilities.ts';
import type { Degrade } from '../../core/request/redundancy-types.ts';
import type { BodyView } from '../bytes/body-view.ts';
import { objectsIn } from '../bytes/nested.ts';
import { fieldsToDrop } from './degrade.ts';
import { given, numberOf, objectGiven, valueGiven } from './fields.ts';
import { inputParts } from './media-parts.ts';
import { CONFIG, THINKING } from './request-edits.ts';

/** What `degrade` drops is not needed. Read when it is asked for. */
export function requestNeeds(view: BodyView, degrade: Degrade | null): Needs {
  let inputs: string[] | null = null;
  let features: string[] | null = null;
  return {
    input(missing) {
      inputs ??= inputParts(view);
      return inputs.find(missing);
    },
    feature(missing) {
      features ??= featuresOf(view, degrade);
      return features.find(missing);
    },
  };
}

function featuresOf(view: BodyView, degrade: Degrade | null): string[] {
  const dropped = degrade === null ? { top: [], config: [] } : fieldsToDrop(degrade);
  const used: string[] = [];
  if (!dropped.top.includes('tools') && declaresFunctions(view)) used.push('tools');
  const config = dropped.top.includes(CONFIG) ? null : objectGiven(view, CONFIG);
  if (config === null) return used;
  const has = (name: string): boolean => !dropped.config.includes(name) && given(config, name) !== null;
  if (has('responseSchema') || has('responseJsonSchema')) used.push('json_schema');
  else if (has('responseMimeType') && valueGiven(config, 'responseMimeType') === 'application/json') {
    used.push('json_object');
  }
  if (has(THINKING) && thinks(objectGiven(config, THINKING), degrade)) used.push('reasoning');
  if (has('responseLogprobs') && valueGiven(config, 'responseLogprobs') === true) used.push('logprobs');
  return used;
}

/** Functions of the client; tools of the API itself are told apart by their own names. */
function declaresFunctions(view: BodyView): boolean {
  return objectsIn(view, 'tools').some((tool) => given(tool, 'functionDeclarations') !== null);
}

function thinks(thinking: BodyView | null, degrade: Degrade | null): boolean {
  if (degrade?.reasoning_effort !== undefined) return degrade.reasoning_effort !== 'none';
  if (thinking === null) return false;
  const budget = numberOf(valueGiven(thinking, 'thinkingBudget'));
  return budget === null ? given(thinking, 'thinkingLevel') !== null : budget !== 0;
}
