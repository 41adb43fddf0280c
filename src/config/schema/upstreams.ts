/** Providers, credentials, models and channels. */
import { PRIVACY_LEVELS } from '../../core/request/ranges.ts';
import { listNames } from '../../providers/catalogue/shipped-lists.ts';
import { presets } from '../../providers/presets.ts';
import { API_NAMES } from '../apis.ts';
import {
  bool,
  credentialSecret,
  decimal,
  int,
  list,
  MAX_TIMER_MS,
  mapping,
  named,
  oneOf,
  pattern,
  text,
} from './fields.ts';

const types = [...presets.keys()] as [string, ...string[]];
/** A provider of whose models the catalogue is not asked. */
export const NO_CATALOGUE = 'none';
const httpUrl = pattern(/^https?:\/\/[^\s]+$/, 'an address that starts with http:// or https://');
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export const providerSchema = mapping({
  type: oneOf(types).describe('What speaks there: a preset, or `openai-compatible` with a `base_url`.'),
  base_url: httpUrl
    .describe(
      "Address up to and including the version, e.g. `https://host/v1`. Default: the preset's, or that of the `region` or `location`.",
    )
    .exactOptional(),
  api_version: pattern(/^[A-Za-z0-9.-]+$/, 'a version such as 2026-01-01-preview')
    .describe('Where deployments stand in the path: the dated version for its query. Default: the path without a date.')
    .exactOptional(),
  region: pattern(/^[a-z0-9-]+$/, 'a region such as eu-west-1')
    .describe('The region called, of types that have an address per region; signatures are made for it.')
    .exactOptional(),
  project: pattern(/^[A-Za-z0-9.:_-]+$/, 'the id of a project')
    .describe(
      'The project that is billed, of types that have it in their address. Default: that of the first key file.',
    )
    .exactOptional(),
  location: pattern(/^[a-z0-9-]+$/, 'a location such as global or europe-west1')
    .describe('The location called, of types that have it in their address. Default: `global`.')
    .exactOptional(),
  organization: pattern(/^[\x21-\x7e]+$/, 'a text of visible ASCII characters')
    .describe('Sent as the organisation header.')
    .exactOptional(),
  connect_timeout_ms: int(1, MAX_TIMER_MS, 'ms').describe('Longest time to connect.').default(5000),
  headers: named(pattern(/^[\x20-\x7e]*$/, 'a text of visible ASCII characters'), 'header names to values')
    .describe('Sent on every call to this provider.')
    .default({}),
  proxy: httpUrl.describe('Outgoing HTTP proxy.').exactOptional(),
  catalogue: oneOf([NO_CATALOGUE, ...listNames])
    .describe(
      "Whose prices, windows and capabilities of the shipped catalogue hold for its models where this file has none; `none`: nobody's. Default: those of the provider whose own address `base_url` is.",
    )
    .exactOptional(),
});

export const isHeaderName = (name: string): boolean => HEADER_NAME.test(name);

const amount = int(1, Number.MAX_SAFE_INTEGER);
const spend = decimal({ min: 0, above: true, unit: 'USD' });
const periodFields = {
  tokens_per_day: amount.describe('Tokens per UTC day.').exactOptional(),
  tokens_per_month: amount.describe('Tokens per UTC month.').exactOptional(),
  usd_per_day: spend.describe('Spend per UTC day.').exactOptional(),
  usd_per_month: spend.describe('Spend per UTC month.').exactOptional(),
};

/** Limits on credentials, channels, keys and workspaces (P-4, G-11). */
export const limitsSchema = mapping({
  rpm: amount.describe('Requests per minute.').exactOptional(),
  tpm: amount.describe('Tokens per minute, input and output.').exactOptional(),
  rpd: amount.describe('Requests per UTC day.').exactOptional(),
  concurrent: amount.describe('Requests at the same time.').exactOptional(),
  ...periodFields,
  soft: mapping(periodFields).describe('Passed with an alert instead of a refusal.').exactOptional(),
}).describe('What may be used at most (P-4, G-11). A call that finds it used up goes elsewhere, or is refused.');

export const credentialSchema = mapping({
  provider: text('must be the name of a provider').describe('Name of an entry under `providers`.'),
  secret: credentialSecret().describe(
    'The API key; best taken from the environment. Where calls are signed: `KEY:SECRET` or `KEY:SECRET:TOKEN`. Where accounts have key files: the whole JSON file.',
  ),
  kind: oneOf(['platform', 'byok'])
    .describe("`platform`: the operator's; `byok`: a workspace's own.")
    .default('platform'),
  workspace: text('must be the name of a workspace').describe('The owner of a `byok` credential.').exactOptional(),
  order: int(0, 1_000_000).describe('Lower is tried first; equals in turn (P-1).').default(0),
  base_url: httpUrl
    .describe(
      "The workspace's own address for the provider, of a `byok` credential. Default: the provider's. The provider's `headers` are not sent there.",
    )
    .exactOptional(),
  limits: limitsSchema.exactOptional(),
});

const usdPerMillion = decimal({ min: 0, max: 1_000_000, unit: 'USD per million tokens' });

export const priceSchema = mapping({
  input: usdPerMillion.exactOptional(),
  output: usdPerMillion.exactOptional(),
  cached_input: usdPerMillion.exactOptional(),
  cache_write: usdPerMillion.exactOptional(),
  audio_in: usdPerMillion.exactOptional(),
  audio_out: usdPerMillion.exactOptional(),
}).describe(
  "USD per million tokens. Default: the shipped catalogue's, where the model is in it; else unknown, which is not 0 (G-4).",
);

const words = (of: string) => list(text('must be a word'), { of });

export const capabilitiesSchema = mapping({
  apis: words('endpoints such as chat, responses, messages')
    .describe(
      'Endpoints that clients may use for it: `chat`, `responses`, `messages`, `gemini`, `completions`, `embeddings`, `moderations`, `rerank`, `images`, `image_edits`, `speech`, `transcriptions`, `translations`, `videos`. Which of the first four a provider speaks itself is not said here: requests are translated.',
    )
    .exactOptional(),
  input: words('inputs such as text, image').describe('Of `text`, `image`, `audio`, `video`, `file`.').exactOptional(),
  features: words('features such as tools, json_schema, reasoning')
    .describe('Of `tools`, `json_schema`, `json_object`, `reasoning`, `logprobs`.')
    .exactOptional(),
}).describe(
  "What the model can do, shown by `GET /v1/models`. A request for more is 400 at its turn (P-6); a list that is not here is the shipped catalogue's, and what nobody says counts as supported. A model with the feature `reasoning` may think for `timeout_ms` before its first token (T-3).",
);

const tokens = int(1, Number.MAX_SAFE_INTEGER, 'tokens');

export const channelSchema = mapping({
  id: pattern(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'a name of letters, digits, dot, dash and underscore')
    .describe("Unique within the model. Default: the provider's name.")
    .exactOptional(),
  provider: text('must be the name of a provider').describe('Name of an entry under `providers`.'),
  model: text('must be the name of a model at the provider')
    .describe("The model's name at the provider. Default: the id without `PROVIDER/`.")
    .exactOptional(),
  api: oneOf(API_NAMES)
    .describe(
      "The wire format it is called in. Default: the client's own where the provider speaks it, else the provider's first.",
    )
    .exactOptional(),
  region: text('must be the name of a region')
    .describe('Where the channel computes, for guardrails on regions (G-2).')
    .exactOptional(),
  max_privacy: oneOf(PRIVACY_LEVELS)
    .describe('The most private requests this channel may see (G-2); a request that says nothing is `public`.')
    .default('restricted'),
  weight: int(0, 1_000_000).describe('Share under the strategy `weighted` (P-2); 0 = last.').default(1),
  priority: int(0, 1_000_000).describe('Lower is tried first; equals in the order of the file.').default(1),
  price: priceSchema.exactOptional(),
  limits: limitsSchema.exactOptional(),
  context_window: tokens.describe('As of the model, where this channel differs.').exactOptional(),
  max_output_tokens: tokens.describe('Longest answer; bounds the worst case of a call (D-4).').exactOptional(),
  capabilities: capabilitiesSchema.exactOptional(),
});

export const modelSchema = mapping({
  price: priceSchema.exactOptional(),
  context_window: tokens
    .describe("Longest input and output together, in tokens. Default: the shipped catalogue's.")
    .exactOptional(),
  max_output_tokens: tokens
    .describe("Longest answer; bounds the worst case of a call (D-4). Default: the shipped catalogue's.")
    .exactOptional(),
  capabilities: capabilitiesSchema.exactOptional(),
  channels: list(channelSchema, { min: 1, of: 'ways to reach the model, each with a provider' })
    .describe('Default: one implied channel, for a model named `PROVIDER/NAME`.')
    .exactOptional(),
});

/** Routing of a workspace (P-2, P-3). */
export const routingSchema = mapping({
  strategy: oneOf(['priority', 'price', 'latency', 'throughput', 'least_busy', 'weighted', 'round_robin'])
    .describe('How the channels of a model are ordered (P-2). Default: `priority`.')
    .exactOptional(),
  affinity: oneOf(['none', 'prompt_cache_key', 'user'])
    .describe(
      'Keeps a caller on its first healthy channel for 10 minutes, known by this field of its requests. Default: `none`.',
    )
    .exactOptional(),
  channels: named(
    named(
      mapping({ prefer: bool().exactOptional(), byok_only: bool().exactOptional() }),
      'channel ids to {prefer, byok_only}',
    ),
    'models to their channels',
  )
    .describe(
      '`prefer` moves a channel to the front; `byok_only` lets nothing be called but the own credentials of such channels (P-3).',
    )
    .exactOptional(),
});
