/** Decision tables and a draft of other cells. Pure. */
import type { Shape } from '../../api/client.ts';
import { yamlText } from '../../parts/yaml-text.ts';

export type Policy = Shape<'Policy'>;
export type PolicyName = Policy['name'];
export type Cell = Shape<'PolicyCell'>;
export type Step = Cell['steps'][number];

export const STEPS = [
  'wait_retry',
  'retry',
  'next_credential',
  'next_channel',
  'next_channel_larger',
  'next_model',
  'next_model_larger',
  'alert',
  'stop',
] as const satisfies readonly Step[];
export const NAMES = ['standard', 'strict', 'permissive'] as const satisfies readonly PolicyName[];

/** Rows by what is the matter, the most pressing first. */
export const GROUPS = [
  { id: 'unsure', rows: ['maybe_executed'] },
  {
    id: 'provider',
    rows: [
      'rate_limit',
      'quota_exhausted',
      'overloaded',
      'server_error',
      'timeout',
      'connection_error',
      'malformed',
      'empty',
    ],
  },
  { id: 'setup', rows: ['auth', 'permission', 'model_not_found'] },
  {
    id: 'request',
    rows: [
      'context_length',
      'payload_too_large',
      'content_policy',
      'invalid_request',
      'unsupported',
      'generation_rejected',
    ],
  },
  { id: 'own', rows: ['gateway_rejected', 'client_closed'] },
] as const;
export type RowName = (typeof GROUPS)[number]['rows'][number];

/** Other cells, by policy and row. */
export type Draft = Readonly<Partial<Record<PolicyName, Readonly<Partial<Record<RowName, readonly Step[]>>>>>>;

export const sameSteps = (a: readonly Step[], b: readonly Step[]): boolean => a.join() === b.join();

/** The cell in force. */
export function cellOf(policies: readonly Policy[], policy: PolicyName, row: RowName): Cell | undefined {
  return policies.find(({ name }) => name === policy)?.cells.find((cell) => cell.row === row);
}

/** The draft with other steps in one cell; null = as in force. */
export function withCell(draft: Draft, policy: PolicyName, row: RowName, steps: readonly Step[] | null): Draft {
  const { [row]: _, ...others } = draft[policy] ?? {};
  const cells = steps === null ? others : { ...others, [row]: steps };
  const { [policy]: __, ...rest } = draft;
  return Object.keys(cells).length === 0 ? rest : { ...rest, [policy]: cells };
}

/** Policies the draft changes. */
export function drafted(draft: Draft): readonly PolicyName[] {
  return NAMES.filter((name) => draft[name] !== undefined);
}

export function countCells(draft: Draft): number {
  return drafted(draft).reduce((sum, name) => sum + Object.keys(draft[name] ?? {}).length, 0);
}

/** What the gateway would say of these steps; null = nothing. */
export function problemOf(steps: readonly Step[]): 'problem_none' | 'problem_after_stop' | null {
  if (steps.length === 0) return 'problem_none';
  const stop = steps.indexOf('stop');
  const unreached = stop !== -1 && steps.slice(stop + 1).some((step) => step !== 'alert');
  return unreached ? 'problem_after_stop' : null;
}

/** The drafted policies as they would stand in the file: what it overrides already, and the draft over it. */
export function draftLines(policies: readonly Policy[], draft: Draft): string {
  const whole = drafted(draft).map((name) => {
    const cells = policies.find((policy) => policy.name === name)?.cells ?? [];
    const before = cells.filter(({ overridden }) => overridden).map(({ row, steps }) => [row, steps] as const);
    return [name, { ...Object.fromEntries(before), ...draft[name] }] as const;
  });
  return yamlText({ policies: Object.fromEntries(whole) });
}

/** A draft that was kept as text; what is no draft is none. */
export function readDraft(text: string | null): Draft {
  let draft: Draft = {};
  const kept = parsed(text);
  for (const name of NAMES) {
    for (const { rows } of GROUPS) {
      for (const row of rows) {
        const steps = kept?.[name]?.[row];
        if (Array.isArray(steps) && steps.every(isStep) && problemOf(steps) === null) {
          draft = withCell(draft, name, row, steps);
        }
      }
    }
  }
  return draft;
}

const isStep = (value: unknown): value is Step => STEPS.some((step) => step === value);

function parsed(text: string | null): Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>> | null {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return typeof value === 'object' ? (value as ReturnType<typeof parsed>) : null;
  } catch {
    return null;
  }
}
