/** The request that the preview asks about: kept in the address, so that it can be shared and linked to. Pure but for the hook. */
import { useMemo } from 'react';
import { type Filters, useFilters } from '../../../parts/filters.tsx';
import { AUTO, changesOf, type Draft, type Workspace } from '../draft.ts';

/** Query parameters. `model` and `fallback` (with commas) are the chain; `key` is the client key that sends it. */
const NAMES = [
  'key',
  'model',
  'fallback',
  'stream',
  'tools',
  'image',
  'policy',
  'privacy',
  'attempts',
  'hedge',
] as const;
export type QuestionName = (typeof NAMES)[number];
/** As many as a request may name (C-2). */
export const MOST_IN_CHAIN = 3;

export interface Question {
  readonly key: string;
  readonly chain: readonly string[];
  readonly stream: boolean;
  readonly tools: boolean;
  readonly image: boolean;
  readonly policy: string;
  readonly privacy: string;
  readonly attempts: number | null;
  readonly hedge: number | null;
}

export interface AskedQuestion {
  readonly question: Question;
  readonly set: Filters<QuestionName>['set'];
}

const numberIn = (text: string): number | null => (/^\d{1,6}$/.test(text) ? Number(text) : null);

/** What the address asks; what it leaves open is filled in by `otherwise`. */
export function useQuestion(otherwise: { readonly key: string; readonly model: string }): AskedQuestion {
  const { values, set } = useFilters(NAMES);
  const { key, model } = otherwise;
  const question = useMemo(() => {
    const then = values.fallback.split(',').filter((name) => name !== '');
    return {
      key: values.key || key,
      chain: [values.model || model, ...then].slice(0, MOST_IN_CHAIN),
      stream: values.stream !== '',
      tools: values.tools !== '',
      image: values.image !== '',
      policy: values.policy,
      privacy: values.privacy,
      attempts: numberIn(values.attempts),
      hedge: numberIn(values.hedge),
    };
  }, [values, key, model]);
  return { question, set };
}

/** The smallest picture there is: what counts is that there is one. */
const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const TOOL = {
  type: 'function',
  function: { name: 'look_up', parameters: { type: 'object', properties: { what: { type: 'string' } } } },
};

/** The question as the body of a chat request. */
export function requestOf(question: Question, chain: readonly string[]): Record<string, unknown> {
  const content = question.image
    ? [
        { type: 'text', text: 'Hello' },
        { type: 'image_url', image_url: { url: PICTURE } },
      ]
    : 'Hello';
  const redundancy = {
    ...(question.policy === '' ? {} : { policy: question.policy }),
    ...(question.privacy === '' ? {} : { privacy_level: question.privacy }),
    ...(question.attempts === null ? {} : { max_attempts: question.attempts }),
    ...(question.hedge === null ? {} : { hedge_after_ms: question.hedge }),
  };
  return {
    ...(chain.length === 1 ? { model: chain[0] } : { models: chain }),
    messages: [{ role: 'user', content }],
    ...(question.stream ? { stream: true } : {}),
    ...(question.tools ? { tools: [TOOL] } : {}),
    ...(Object.keys(redundancy).length === 0 ? {} : { redundancy }),
  };
}

/** What unsaved changes do to the question. */
export type DraftEffect =
  /** Nothing. */
  | { readonly kind: 'none' }
  /** The request would go as if it had named this chain. */
  | { readonly kind: 'chain'; readonly chain: readonly string[] }
  /** What it does is known once it is saved: the gateway plans by what it has. */
  | { readonly kind: 'after_saving' };

/** What is needed to tell whether the default model may come last (C-7). */
export interface MayLeave {
  readonly policy: string;
  readonly on: readonly string[];
  readonly options: { readonly cross_model: boolean; readonly priority: string };
}

const NONE: DraftEffect = { kind: 'none' };
const AFTER_SAVING: DraftEffect = { kind: 'after_saving' };

/** @param now the plan as it is; null where there is none */
export function draftEffect(question: Question, base: Workspace, draft: Draft, now: MayLeave | null): DraftEffect {
  const changes = changesOf(base, draft);
  if (changes === null) return NONE;
  if ('routing' in changes) return AFTER_SAVING;
  const [asked, ...then] = question.chain;
  // A chain that was spelled out knows neither virtual models nor the default.
  if (asked === undefined || then.length > 0) return NONE;
  const virtual = draft.virtual_models[asked];
  const members = asked === AUTO ? draft.auto : (virtual?.models ?? [asked]);
  const touchesVirtual =
    asked === AUTO ? 'auto' in changes : 'virtual_models' in changes && isVirtual(base, draft, asked);
  if (!touchesVirtual && !('default_model' in changes)) return NONE;
  // Options of its own cannot be said by a chain.
  if (virtual?.routing !== undefined || virtual?.redundancy !== undefined || members.length === 0) return AFTER_SAVING;
  const mayLeave =
    now === null ||
    (now.options.cross_model && now.on.length > 0 && now.options.priority !== 'low' && now.policy !== 'strict');
  const last = mayLeave && draft.default_model !== null ? [draft.default_model] : [];
  const chain = [...new Set([...members, ...last])];
  return chain.length > MOST_IN_CHAIN ? AFTER_SAVING : { kind: 'chain', chain };
}

function isVirtual(base: Workspace, draft: Draft, name: string): boolean {
  return base.virtual_models?.[name] !== undefined || draft.virtual_models[name] !== undefined;
}
