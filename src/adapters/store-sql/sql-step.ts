/** What a store asks its database for. The texts are an engine's own (`statements.ts`), the rows are the same for all. */

/** Bytes are columns of their own; rows that come as one text hold none. */
export type SqlScalar = string | number | null | Uint8Array;

/** Columns in the order the statement's description names them. */
export type SqlRow = readonly SqlScalar[];

/**
 * One statement run for each of its rows, in order; many rows come as one text (`batchText`). `expect`: so many rows it must
 * change in all, else the whole transaction is undone with the fault `UNMET`. `returns`: what it gives is wanted.
 */
export type SqlStep =
  | {
      readonly sql: string;
      readonly rows: readonly SqlRow[];
      readonly expect?: number;
      readonly returns?: boolean;
    }
  | { readonly sql: string; readonly text: string; readonly rows: number };
