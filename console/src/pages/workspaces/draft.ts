/** A workspace as its form asks for it, and as the API takes it. */
import type { Shape } from '../../api/client.ts';
import { readSettings, settingsText } from '../access/json-field.tsx';
import { type Limits, limitsOf } from '../access/limits.tsx';
import { linesOf } from '../access/text-lists.tsx';

export type Workspace = Shape<'Workspace'>;

export const PRIVACY = ['any', 'public', 'internal', 'confidential', 'restricted'] as const;
export const SCOPES = ['key', 'workspace'] as const;

/** Those that were chosen; `*` alone is no choice. */
export function chosen(patterns: readonly string[] | undefined): readonly string[] {
  return patterns === undefined || (patterns.length === 1 && patterns[0] === '*') ? [] : patterns;
}

/** The fields of the form. */
export function draftOf(workspace: Workspace | null) {
  const { deny_models, deny_channels, allow_regions, deny_regions, max_privacy } = workspace?.guardrails ?? {};
  const lines = (list: readonly string[] | undefined) => (list ?? []).join('\n');
  return {
    name: '',
    models: lines(chosen(workspace?.enabled_models)),
    channels: lines(chosen(workspace?.enabled_channels)),
    default_model: workspace?.default_model ?? '',
    granted: (workspace?.balance_usd ?? null) as number | null,
    limits: (workspace?.limits ?? {}) as Limits,
    deny_models: lines(deny_models),
    deny_channels: lines(deny_channels),
    allow_regions: lines(allow_regions),
    deny_regions: lines(deny_regions),
    max_privacy: (max_privacy ?? 'any') as (typeof PRIVACY)[number],
    redundancy: settingsText(workspace?.redundancy),
    ceilings: settingsText(workspace?.ceilings),
    keep: workspace?.answers?.keep ?? false,
    keep_age: String(workspace?.answers?.max_age ?? ''),
    keep_bytes: String(workspace?.answers?.max_bytes ?? ''),
    auto_idempotency: workspace?.auto_idempotency ?? false,
    scope: (workspace?.idempotency_scope ?? 'key') as (typeof SCOPES)[number],
  };
}
export type Draft = ReturnType<typeof draftOf>;

/** Whether a setting can't be read as JSON. */
export function unreadable({ redundancy, ceilings }: Draft): boolean {
  return [redundancy, ceilings].some((text) => readSettings(text).fault !== null);
}

/** Undefined = not said. Settings are the gateway's to judge. */
export function bodyFrom(draft: Draft) {
  const models = linesOf(draft.models);
  const channels = linesOf(draft.channels);
  const model = draft.default_model.trim();
  return {
    enabled_models: models.length === 0 ? ['*'] : models,
    enabled_channels: channels.length === 0 ? ['*'] : channels,
    default_model: model === '' ? undefined : model,
    balance_usd: draft.granted ?? undefined,
    limits: limitsOf(draft.limits).limits,
    guardrails: guardrailsFrom(draft),
    redundancy: readSettings(draft.redundancy).settings as Workspace['redundancy'],
    ceilings: readSettings(draft.ceilings).settings as Workspace['ceilings'],
    answers: answersFrom(draft),
    auto_idempotency: draft.auto_idempotency ? true : undefined,
    idempotency_scope: draft.scope === 'key' ? undefined : draft.scope,
  };
}

function guardrailsFrom(draft: Draft): Workspace['guardrails'] {
  const lists = (['deny_models', 'deny_channels', 'allow_regions', 'deny_regions'] as const)
    .map((field) => [field, linesOf(draft[field])] as const)
    .filter(([, list]) => list.length > 0);
  const privacy = draft.max_privacy === 'any' ? [] : [['max_privacy', draft.max_privacy] as const];
  const fields = [...lists, ...privacy];
  return fields.length === 0 ? undefined : (Object.fromEntries(fields) as Workspace['guardrails']);
}

function answersFrom({ keep, keep_age: age, keep_bytes: bytes }: Draft): Workspace['answers'] {
  const fields = [
    ...(keep ? [['keep', true] as const] : []),
    ...(age.trim() === '' ? [] : [['max_age', age.trim()] as const]),
    ...(bytes.trim() === '' ? [] : [['max_bytes', bytes.trim()] as const]),
  ];
  return fields.length === 0 ? undefined : (Object.fromEntries(fields) as Workspace['answers']);
}
