/** A route of the admin plane: what it does, who may, and how it is documented, in one place. */
import type { CallOrigin } from '../../config/objects/config-objects.ts';
import type { Permission } from '../../core/access/roles.ts';
import type { Told } from './admin-audit.ts';
import type { AdminCaller } from './admin-caller.ts';
import type { BodySchema, JsonObject } from './json-body.ts';
import type { QueryParameter } from './openapi-parts.ts';
import type { QueryParameters } from './query-parameters.ts';

export interface AdminCall {
  /** Those of the route's `parameters` that were sent. */
  readonly query: QueryParameters;
  /** Values of the path's `{…}`, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** `params.id`; empty where the path has none. */
  readonly id: string;
  /** As sent, once `body` of the route has accepted it; `{}` where the route takes none. */
  readonly body: JsonObject;
  readonly caller: AdminCaller;
  /** The one workspace the caller's permission covers; null = all. What lies outside is 404, as if it were not there. */
  readonly scope: string | null;
  /** From `If-Match`: the version the caller's change was made from; null = none was sent. */
  readonly ifVersion: number | null;
  /** For the audit log. */
  readonly origin: CallOrigin;
}

export type AdminMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface AdminRoute {
  readonly method: AdminMethod;
  /** Below `/admin`, as documented: `/v1/requests/{id}`. */
  readonly path: string;
  readonly summary: string;
  /** Callers without it get 403 (G-8). */
  readonly needs: Permission;
  /** The query it takes, as OpenAPI parameter objects; a call with another parameter is 400. */
  readonly parameters: readonly QueryParameter[];
  /** What a body must be; absent = the route reads none. */
  readonly body?: BodySchema;
  /** Larger bodies are 413; without it `MAX_BODY_BYTES`. */
  readonly maxBodyBytes?: number;
  /** JSON Schema of the answer. */
  readonly answer: object;
  /** Media types of an answer that is no JSON: `handle` gives a `StreamedAnswer`. */
  readonly answerTypes?: readonly string[];
  /** Status of a good answer; 200 without. */
  readonly status?: 201;
  /**
   * What the audit log is told of it (G-7). `in_change`: the object's change has its entry. `nothing`: it changes nothing.
   * Null of a function = this time nothing. Absent for GET alone.
   */
  readonly audit?: 'in_change' | 'nothing' | ((call: AdminCall, answer: object) => Told | null);
  /** Its result is sent as JSON, a `StreamedAnswer` piece by piece, a `ClientError` as its status. */
  handle(call: AdminCall): object | Promise<object>;
}
