/** Prepaid balances over HTTP (G-4): what is there, how it came about, topping up. */
import * as z from 'zod';
import { decimal } from '../../config/schema/fields.ts';
import { ClientError, gatewayError } from '../../core/errors/catalogue.ts';
import type { JsonObject } from '../../core/failover/json-form.ts';
import type { LedgerEntry } from '../../ports/ledger.ts';
import { LEDGER_ENTRY_KINDS } from '../../ports/ledger.ts';
import { StateStoreUnavailable } from '../../ports/object-store.ts';
import { nanoFromUsd, usd } from '../money-form.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AdminCall, AdminRoute } from './admin-route.ts';
import { badParameter } from './bad-parameter.ts';
import { findObject, instant } from './managed.ts';
import {
  FLAG,
  INSTANT,
  listOf,
  NUMBER,
  NUMBER_OR_NULL,
  object,
  schemaRef,
  TEXT,
  TEXT_OR_NULL,
} from './openapi-parts.ts';
import { pageParameters } from './paging.ts';
import { conflict } from './refusals.ts';

/** More is a slip of the finger. */
const MOST_USD = 1_000_000_000;
const LONGEST_NOTE = 500;
const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;
/** The place of an entry: a whole number, as the ledger gave it. */
const CURSOR = /^[1-9]\d{0,14}$/;

const CHANGE = z.strictObject({
  topup_usd: decimal({ min: 0, max: MOST_USD, above: true, unit: 'USD' }).describe('Money paid in.').exactOptional(),
  adjust_usd: decimal({ min: -MOST_USD, max: MOST_USD, unit: 'USD' })
    .describe('A correction; negative takes money away.')
    .exactOptional(),
  note: z
    .string({ error: () => 'must be a text' })
    .max(LONGEST_NOTE, { error: () => `must have at most ${LONGEST_NOTE} characters` })
    .describe('Why; kept with the entry.')
    .exactOptional(),
});

export const BALANCE_SCHEMAS: Readonly<Record<string, object>> = {
  Balance: object({
    workspace: TEXT,
    prepaid: { ...FLAG, description: 'Whether requests need a balance at all.' },
    balance_usd: NUMBER_OR_NULL,
    available_usd: { ...NUMBER_OR_NULL, description: 'The balance less what running attempts hold back.' },
    balance_nano_usd: { ...TEXT_OR_NULL, description: 'The same, exactly: a whole number as text.' },
    available_nano_usd: TEXT_OR_NULL,
  }),
  LedgerEntry: object({
    id: TEXT,
    at: INSTANT,
    kind: { enum: LEDGER_ENTRY_KINDS },
    amount_usd: { ...NUMBER, description: 'Negative = money left the balance.' },
    amount_nano_usd: TEXT,
    attempt_id: TEXT_OR_NULL,
    note: TEXT_OR_NULL,
    by: TEXT,
  }),
};

const PATH = '/v1/workspaces/{id}/balance';

export function balanceRoutes(deps: AdminDeps): AdminRoute[] {
  return [
    {
      method: 'GET',
      path: PATH,
      summary: 'The prepaid balance of a workspace.',
      needs: 'balance.read',
      parameters: [],
      answer: schemaRef('Balance'),
      handle: ({ id, scope }) => shownBalance(deps, findObject(deps, 'workspace', id, scope).name),
    },
    {
      method: 'GET',
      path: `${PATH}/entries`,
      summary: 'What made the balance: grants, top-ups, adjustments and charges, newest first.',
      needs: 'balance.read',
      parameters: pageParameters(DEFAULT_LIMIT, MAX_LIMIT),
      answer: listOf('LedgerEntry'),
      handle: (call) => listEntries(deps, call),
    },
    {
      method: 'POST',
      path: PATH,
      summary: 'Tops up or adjusts a prepaid balance. Each call is one more entry: look before you send it again.',
      needs: 'balance.change',
      parameters: [],
      body: CHANGE,
      answer: schemaRef('Balance'),
      audit: ({ id, body }, answer) => {
        const { balance_nano_usd: balance } = answer as { readonly balance_nano_usd: string | null };
        const verb = body['topup_usd'] === undefined ? 'adjust' : 'topup';
        const after = { ...(body as JsonObject), balance_nano_usd: balance };
        return { action: `balance.${verb}`, object: `workspace ${id}`, workspace: id, after };
      },
      handle: (call) => changeBalance(deps, call),
    },
  ];
}

function shownBalance({ gateway: { accounts } }: AdminDeps, workspace: string): object {
  const balance = accounts.balance(workspace);
  const available = accounts.available(workspace);
  return {
    workspace,
    prepaid: balance !== null,
    balance_usd: balance === null ? null : usd(balance),
    available_usd: available === null ? null : usd(available),
    balance_nano_usd: balance === null ? null : String(balance),
    available_nano_usd: available === null ? null : String(available),
  };
}

async function listEntries(deps: AdminDeps, { query, id, scope }: AdminCall): Promise<object> {
  const limit = query.whole('limit', 1, MAX_LIMIT) ?? DEFAULT_LIMIT;
  const cursor = query.text('cursor');
  if (cursor !== undefined && !CURSOR.test(cursor)) throw badParameter('cursor', 'is not one that a list returned');
  const { name } = findObject(deps, 'workspace', id, scope);
  const page = await stored(() => deps.gateway.accounts.entries(name, limit, cursor));
  return { data: page.data.map(shownEntry), next_cursor: page.next_cursor };
}

function shownEntry({ id, at, kind, amount, attemptId, note, by }: LedgerEntry): object {
  return {
    id,
    at: instant(at),
    kind,
    amount_usd: usd(amount),
    amount_nano_usd: String(amount),
    attempt_id: attemptId,
    note,
    by,
  };
}

async function changeBalance(deps: AdminDeps, { id, body, caller, scope }: AdminCall): Promise<object> {
  const { accounts } = deps.gateway;
  const { name } = findObject(deps, 'workspace', id, scope);
  const { kind, amount } = changeOf(body);
  if (!accounts.isPrepaid(name)) {
    throw conflict(`The workspace \`${name}\` is not prepaid; give it a \`balance_usd\` first.`);
  }
  const note = typeof body['note'] === 'string' ? body['note'] : null;
  await stored(() => accounts.add(name, { kind, amount, note, by: caller.name }), kind);
  return shownBalance(deps, name);
}

function changeOf(body: AdminCall['body']): { readonly kind: 'topup' | 'adjust'; readonly amount: bigint } {
  const { topup_usd: topup, adjust_usd: adjust } = body;
  if (topup !== undefined && adjust !== undefined) throw badParameter('adjust_usd', 'cannot go with `topup_usd`');
  const kind = topup === undefined ? 'adjust' : 'topup';
  const dollars = topup ?? adjust;
  if (typeof dollars !== 'number') {
    const message = 'The parameter `topup_usd` (or `adjust_usd`) is required.';
    throw new ClientError(gatewayError('missing_required_parameter', message, { param: 'topup_usd' }));
  }
  const amount = nanoFromUsd(dollars);
  if (amount === 0n) throw badParameter(`${kind}_usd`, 'must come to at least one nano-dollar');
  return { kind, amount };
}

/** H-5: the ledger in trouble is 503, a sum that would not fit the caller's fault. */
async function stored<T>(work: () => Promise<T>, kind?: 'topup' | 'adjust'): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RangeError && kind !== undefined) {
      throw badParameter(`${kind}_usd`, 'would make the balance too large');
    }
    if (!(error instanceof StateStoreUnavailable)) throw error;
    const message = `The ledger cannot be used: ${error.message}. Try again in a moment.`;
    throw new ClientError(gatewayError('store_unavailable', message, { shouldRetry: true }));
  }
}
