/** What of a request an answer depends on, whatever dialect it came in. */

export interface OfferedTool {
  readonly kind: 'function' | 'custom';
  readonly name: string;
  readonly parameters: unknown;
}

/** `count_tokens`: only the size of the request is asked for. */
export type Operation = 'generate' | 'count_tokens';

export interface SimRequest {
  readonly operation: Operation;
  readonly model: string;
  readonly stream: boolean;
  /** The stream tells its usage. */
  readonly includeUsage: boolean;
  readonly n: number;
  readonly maxTokens: number | null;
  readonly tools: readonly OfferedTool[];
  /** `name`: this one; `required`: any; `auto`; `none`. */
  readonly toolChoice: 'auto' | 'none' | 'required' | { readonly name: string };
  readonly parallelTools: boolean;
  /** Schema the answer must fit; `{}` = any JSON; null = text. */
  readonly schema: unknown;
  /** Null = no logprobs asked for, else how many alternatives. */
  readonly logprobs: number | null;
  /** The caller asked the model to think aloud: every answer does. */
  readonly reasoning: boolean;
  /** Texts at which an answer in words ends. */
  readonly stop: readonly string[];
  readonly lastUserText: string;
  /** `tool` = the last thing said is a tool's result. */
  readonly lastRole: string | null;
  /** Rough count of the request's tokens. */
  readonly promptTokens: number;
  /** What only the dialect itself understands: for its own rendering. */
  readonly own: unknown;
}

/** Stands for the parts of a request that nobody has set. */
export const PLAIN_REQUEST: SimRequest = {
  operation: 'generate',
  model: '*',
  stream: false,
  includeUsage: false,
  n: 1,
  maxTokens: null,
  tools: [],
  toolChoice: 'auto',
  parallelTools: true,
  schema: null,
  logprobs: null,
  reasoning: false,
  stop: [],
  lastUserText: '',
  lastRole: null,
  promptTokens: 0,
  own: null,
};

/** A request the API would refuse. */
export interface Refusal {
  /** 400 when absent. */
  readonly status?: number;
  readonly message: string;
  readonly param: string | null;
  /** The dialect's own code or type; absent = the usual one for the status. */
  readonly code?: string;
}
