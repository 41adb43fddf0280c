/** What the generateContent client library is put before: a gateway, one simulator, models that fail and are saved. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Simulator, startSimulator } from '../../sim/index.ts';
import { type RunningGateway, startGateway } from '../../src/assemble.ts';
import { ADMIN_TOKEN, CLIENT_KEY } from './gateway-config.ts';
import { SdkRig } from './sdk-rig.ts';

/** Public model → what its channels are upstream, in the order to try (names the simulator knows). */
const MODELS: Readonly<Record<string, readonly string[]>> = {
  'steady/text': ['ok:steady'],
  'steady/tools': ['strict-tools:steady'],
  'steady/old-tools': ['tools:no-ids'],
  'steady/thinking': ['reasoning:steady'],
  'sealed/thinking': ['sealed:only'],
  'every/finish': ['ok:finish-every'],
  'rescued/text': ['fail-503:text', 'fail-500:text', 'ok:text'],
  'rescued/tools': ['fail-503:tools', 'empty:finish-malformed-function-call', 'strict-tools:rescued'],
  'rescued/stream': ['error-0:early', 'cut-1:early', 'ok:late'],
  'down/all': ['fail-503:first', 'fail-500:second', 'fail-503:third'],
  'busy/all': ['fail-429-30:only'],
  'refused/bad': ['fail-400:only'],
  'blocked/prompt': ['ok:block-prohibited-content'],
  'cut/after-content': ['cut-3:only'],
  'broken/after-content': ['error-3:unframed'],
  'cut/length': ['length:only'],
  'slow/first': ['slow-400:only'],
};

/** Upstream calls that one request for a model causes when nobody repeats it. */
export function channelsOf(model: string): number {
  return MODELS[model]?.length ?? 0;
}

/** A chain of three models. The first two always fail. */
export const CHAIN = ['alone/fail-503', 'alone/fail-500', 'alone/ok'] as const;

function configText(simulatorUrl: string): string {
  const providers: Record<string, object> = { alone: { type: 'gemini', base_url: simulatorUrl } };
  const models: Record<string, object> = { 'alone/*': {} };
  for (const [model, upstreamModels] of Object.entries(MODELS)) {
    const channels = upstreamModels.map((upstreamModel, index) => {
      const provider = `${model.replace('/', '-')}-${index}`;
      providers[provider] = { type: 'gemini', base_url: simulatorUrl };
      return { id: `c${index}`, provider, model: upstreamModel };
    });
    models[model] = { channels };
  }
  return JSON.stringify({
    version: 1,
    admin: { token: ADMIN_TOKEN },
    providers,
    models,
    workspaces: { main: {} },
    keys: [{ name: 'sdk', workspace: 'main', secret: CLIENT_KEY }],
    // The simulator's vendor refuses whoever shows no key: which one does not matter.
    credentials: Object.fromEntries(
      Object.keys(providers).map((provider) => [`for-${provider}`, { provider, secret: 'upstream-key-0123456789' }]),
    ),
    health: { circuit: { min_calls: 1_000_000, consecutive: 1_000_000 } },
    streaming: { keep_alive_after_ms: 100, keep_alive_every_ms: 100 },
  });
}

export interface GenerateStage {
  readonly gateway: RunningGateway;
  readonly simulator: Simulator;
  readonly rig: SdkRig;
  close(): Promise<void>;
}

export async function openStage(): Promise<GenerateStage> {
  const simulator = await startSimulator();
  const dataDir = await mkdtemp(path.join(tmpdir(), 'understudy-generate-'));
  const gateway = await startGateway({
    configText: configText(simulator.url),
    port: 0,
    dataDir,
    env: {},
    log: 'silent',
  });
  const rig = new SdkRig({ gatewayUrl: gateway.url, simulatorUrl: simulator.url });
  return {
    gateway,
    simulator,
    rig,
    close: async () => {
      await gateway.close();
      await simulator.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
