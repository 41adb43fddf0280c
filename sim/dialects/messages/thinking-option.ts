/** How a request wants the model to think, and what that excludes. */
import type { Fields } from '../../answer/fields.ts';
import { fieldsAt, inside, objectAt, optionalWord, refuse, textAt, wholeNumberAt } from './refused.ts';

export interface Thinking {
  /** The answer begins with a thought. */
  readonly on: boolean;
  /** Thinking was given a budget: older models' way, with rules of its own. */
  readonly budgeted: boolean;
  /** The thought itself is kept back, its signature is not. */
  readonly hidden: boolean;
}

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  enabled: ['type', 'budget_tokens', 'display'],
  adaptive: ['type', 'display'],
  disabled: ['type'],
  between_tools: ['type', 'display'],
};
const LEAST_BUDGET = 1024;

/** Reads `thinking`. `strict`: the newest models decide alone how much they think. Throws RefusedRequest. */
export function readThinking(body: Fields, strict: boolean): Thinking {
  const value = body['thinking'];
  if (value === undefined || value === null) return { on: false, budgeted: false, hidden: false };
  const type = textAt(objectAt(value, 'thinking')['type'], 'thinking.type');
  const known = Object.hasOwn(FIELDS, type) ? FIELDS[type] : undefined;
  if (known === undefined) {
    const tags = Object.keys(FIELDS).map((tag) => `'${tag}'`);
    refuse(
      'thinking',
      `Input tag '${type}' found using 'type' does not match any of the expected tags: ${tags.join(', ')}`,
    );
  }
  const path = inside('thinking', type);
  const fields = fieldsAt(value, path, known, type === 'enabled' ? ['budget_tokens'] : []);
  const display = optionalWord(fields['display'], inside(path, 'display'), ['summarized', 'omitted']);
  if (strict && (type === 'enabled' || type === 'disabled')) {
    refuse('thinking.type', `"${type}" is not supported by this model. Use "adaptive" and output_config.effort.`);
  }
  if (type === 'enabled') checkBudget(fields['budget_tokens'], body, inside(path, 'budget_tokens'));
  const on = type !== 'disabled';
  if (on) checkSampling(body);
  return { on, budgeted: type === 'enabled', hidden: display === 'omitted' };
}

function checkBudget(value: unknown, body: Fields, path: string): void {
  const budget = wholeNumberAt(value, path, LEAST_BUDGET);
  const most = body['max_tokens'];
  if (typeof most === 'number' && most <= budget) {
    refuse('', '`max_tokens` must be greater than `thinking.budget_tokens`.');
  }
}

function checkSampling(body: Fields): void {
  const { temperature, top_p: topP, top_k: topK } = body;
  if (typeof temperature === 'number' && temperature !== 1) {
    refuse('', '`temperature` may only be set to 1 when thinking is enabled.');
  }
  if (typeof topP === 'number' && topP < 0.95) {
    refuse('', '`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.');
  }
  if (topK !== undefined && topK !== null) refuse('', '`top_k` must be unset when thinking is enabled.');
}
