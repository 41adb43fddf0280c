/** Cases this version's gateway can't be asked, each with the reason. Everything else has a test. */
export const OUT_OF_SCOPE: readonly { readonly id: string; readonly why: string }[] = [
  { id: 'pre-anthropic-envelope-then-overloaded', why: 'the Messages dialect is not spoken yet' },
  { id: 'mid-responses-synthetic-failure-identity', why: 'the Responses dialect is not spoken yet' },
  { id: 'conn-http2-goaway-refused-stream', why: 'upstream calls use HTTP/1.1 only' },
];

/** Halves of tested cases that this version's gateway can't be asked. */
export const PARTLY_OUT_OF_SCOPE: readonly { readonly id: string; readonly part: string; readonly why: string }[] = [
  {
    id: 'cd-burst-429-without-code',
    part: 'sticky routing by prompt_cache_key',
    why: 'affinity (P-2) is not carried out yet; the order of credentials stands in for it',
  },
];
