/** A route of the admin plane: what it does and how it is documented, in one place. */

export interface AdminCall {
  readonly query: unknown;
  /** The value of `{id}`, decoded; empty where the path has none. */
  readonly id: string;
}

export interface AdminRoute {
  readonly method: 'GET' | 'POST';
  /** Below `/admin`, as documented: `/v1/requests/{id}`. */
  readonly path: string;
  readonly summary: string;
  /** OpenAPI parameter objects of the query. */
  readonly parameters: readonly object[];
  /** JSON Schema of the answer. */
  readonly answer: object;
  /** Its result is sent as JSON with 200; a `ClientError` as its status. */
  handle(call: AdminCall): object | Promise<object>;
}
