/** Lists of models, and single ones, in the shape of the dialect that is asked in: pages, names, members. */
import type { IncomingHttpHeaders } from 'node:http';
import { bad, good, type Read } from '../core/request/read.ts';
import { chatCodec } from '../dialects/chat/codec.ts';
import type { DialectCodec } from '../dialects/contract.ts';
import { generateCodec } from '../dialects/generate/codec.ts';
import { messagesCodec } from '../dialects/messages/codec.ts';
import { GENERATE_CLIENT_HEADER, MESSAGES_VERSION_HEADER } from '../providers/headers.ts';

/** A model or a virtual model, whatever the shape it is shown in. */
export interface ShownModel {
  readonly id: string;
  /** Tokens; null = unknown. */
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number | null;
  /** OpenAI's object, with everything a caller of a gateway wants to know beside it. */
  readonly object: Readonly<Record<string, unknown>>;
}

/** One dialect's way of listing. */
export interface ModelShape {
  /** In whose words errors are told. */
  readonly codec: DialectCodec;
  /** `all` in order; the query asks for a part of them. */
  list(all: readonly ShownModel[], query: URLSearchParams): Read<object>;
  one(model: ShownModel): object;
}

/** By the headers that only one dialect's clients send, else by the path. */
export function shapeFor(path: string, headers: IncomingHttpHeaders): ModelShape {
  if (path.startsWith('/v1beta/') || headers[GENERATE_CLIENT_HEADER] !== undefined) return GENERATE;
  return headers[MESSAGES_VERSION_HEADER] === undefined ? CHAT : MESSAGES;
}

/** One page holds all: its clients ask for no other. */
const CHAT: ModelShape = {
  codec: chatCodec,
  list: (all) => good({ object: 'list', data: all.map((model) => model.object) }),
  one: ({ object }) => object,
};

const MOST_ON_A_PAGE = 1000;
const MESSAGES_PAGE = 20;
const GENERATE_PAGE = 50;

/** The configuration says of no model since when it is there. */
const LONG_AGO = '1970-01-01T00:00:00Z';

const MESSAGES: ModelShape = {
  codec: messagesCodec,
  list(all, query) {
    const limit = pageSize(query, 'limit', MESSAGES_PAGE);
    if (!limit.ok) return limit;
    const after = query.get('after_id');
    const before = query.get('before_id');
    if (after !== null && before !== null) {
      return bad('invalid_parameter', '`after_id` and `before_id` do not go together', 'before_id');
    }
    const edge = placeOf(all, after ?? before);
    if (edge === null)
      return bad('invalid_parameter', 'the page begins at a model that is not in the list', 'after_id');
    const rest = before === null ? all.slice(edge + 1) : all.slice(0, edge);
    const page = before === null ? rest.slice(0, limit.value) : rest.slice(-limit.value);
    return good({
      data: page.map((model) => messagesModel(model)),
      first_id: page[0]?.id ?? null,
      last_id: page.at(-1)?.id ?? null,
      has_more: page.length < rest.length,
    });
  },
  one: messagesModel,
};

function messagesModel({ id, contextWindow, maxOutputTokens, object }: ShownModel): object {
  return {
    type: 'model',
    id,
    display_name: id,
    created_at: LONG_AGO,
    max_input_tokens: contextWindow,
    max_tokens: maxOutputTokens,
    capabilities: null,
    lifecycle: 'active',
    line: null,
    deprecated_at: null,
    retires_at: null,
    understudy: beside(object),
  };
}

const GENERATE: ModelShape = {
  codec: generateCodec,
  list(all, query) {
    const limit = pageSize(query, 'pageSize', GENERATE_PAGE);
    if (!limit.ok) return limit;
    const token = query.get('pageToken');
    const edge = placeOf(all, token === null || token === '' ? null : Buffer.from(token, 'base64url').toString('utf8'));
    if (edge === null) return bad('invalid_parameter', 'this page token is none of this list', 'pageToken');
    const rest = all.slice(edge + 1);
    const page = rest.slice(0, limit.value);
    const last = page.at(-1);
    const more = last === undefined || page.length === rest.length ? null : Buffer.from(last.id).toString('base64url');
    return good({ models: page.map(generateModel), ...(more === null ? {} : { nextPageToken: more }) });
  },
  one: generateModel,
};

const METHODS = ['generateContent', 'streamGenerateContent', 'countTokens'];

function generateModel({ id, contextWindow, maxOutputTokens, object }: ShownModel): object {
  return {
    name: `models/${id}`,
    displayName: id,
    version: '',
    ...(contextWindow === null ? {} : { inputTokenLimit: contextWindow }),
    ...(maxOutputTokens === null ? {} : { outputTokenLimit: maxOutputTokens }),
    supportedGenerationMethods: METHODS,
    understudy: beside(object),
  };
}

/** What no shape but OpenAI's has a place of its own for. */
function beside({ id: _id, object: _object, created: _created, ...rest }: Readonly<Record<string, unknown>>): object {
  return rest;
}

function pageSize(query: URLSearchParams, name: string, otherwise: number): Read<number> {
  const text = query.get(name);
  if (text === null || text === '') return good(otherwise);
  const size = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (size === 0) return bad('invalid_parameter', `\`${name}\` must be a whole number of at least 1`, name);
  return good(Math.min(size, MOST_ON_A_PAGE));
}

/** −1 = before the first; null = there is no such model. */
function placeOf(all: readonly ShownModel[], id: string | null): number | null {
  if (id === null) return -1;
  const place = all.findIndex((model) => model.id === id);
  return place < 0 ? null : place;
}
