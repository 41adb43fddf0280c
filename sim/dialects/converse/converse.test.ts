import { EventStreamCodec } from '@smithy/eventstream-codec';
import { AwsV4Signer } from 'aws4fetch';
import { afterEach, describe, expect, it } from 'vitest';
import { type RawAnswer, sendRaw } from '../../../test/faults/raw-client.ts';
import { type Simulator, startSimulator } from '../../simulator.ts';
import { frame } from './frames.ts';
import { secretOf } from './signature.ts';
import { sealThought, signatureOf } from './thoughts.ts';

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString('utf8'),
  (text) => Buffer.from(text, 'utf8'),
);
const running: Simulator[] = [];

async function start(): Promise<Simulator> {
  const simulator = await startSimulator({ seed: 3 });
  running.push(simulator);
  return simulator;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((simulator) => simulator.close()));
});

const words = (text: string) => ({ role: 'user', content: [{ text }] });
const ASKED = [words('say it back')];
const WEATHER = {
  toolSpec: {
    name: 'get_weather',
    inputSchema: { json: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } },
  },
};
const TOOLS = { toolConfig: { tools: [WEATHER] } };

function ask(sim: Simulator, model: string, fields: object = {}, verb = 'converse'): Promise<RawAnswer> {
  const url = `${sim.url}/model/${encodeURIComponent(model)}/${verb}`;
  return sendRaw({ url, headers: { 'content-type': 'application/json' }, body: { messages: ASKED, ...fields } });
}

interface Answer {
  readonly output: { readonly message: { readonly content: readonly Record<string, Record<string, unknown>>[] } };
  readonly stopReason: string;
  readonly usage: Record<string, number>;
  readonly message: string;
}

async function whole(sim: Simulator, model: string, fields: object = {}): Promise<Answer> {
  return JSON.parse((await ask(sim, model, fields)).text) as Answer;
}

/** Every frame as the library reads it: `type name payload`. */
function framesOf(bytes: Buffer): string[] {
  const found: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const { headers, body } = codec.decode(bytes.subarray(at, at + length));
    const kind = String(headers[':message-type']?.value);
    found.push(`${kind} ${headers[`:${kind}-type`]?.value} ${Buffer.from(body)}`);
    at += length;
  }
  return found;
}

describe('the simulator’s Converse', () => {
  it('X-1: answers whole and as frames the library can read', async () => {
    const sim = await start();
    const answer = await whole(sim, 'echo');
    expect(answer.output.message.content).toEqual([{ text: 'say it back' }]);
    expect(answer.stopReason).toBe('end_turn');
    const stream = await ask(sim, 'echo', {}, 'converse-stream');
    expect(stream.headers['content-type']).toBe('application/vnd.amazon.eventstream');
    const frames = framesOf(stream.body);
    expect(frames.map((one) => one.split(' ')[1])).toEqual([
      'messageStart',
      'contentBlockDelta',
      'contentBlockDelta',
      'contentBlockDelta',
      'contentBlockStop',
      'messageStop',
      'metadata',
    ]);
    expect(frames[1]).toBe('event contentBlockDelta {"contentBlockIndex":0,"delta":{"text":"say"},"p":"abcdefgh"}');
  });

  it('X-1: its frames are the library’s, byte for byte', () => {
    const headers = {
      ':event-type': { type: 'string', value: 'contentBlockDelta' },
      ':content-type': { type: 'string', value: 'application/json' },
      ':message-type': { type: 'string', value: 'event' },
    } as const;
    const body = Buffer.from('{"delta":{"text":"ü🙂"}}');
    expect(frame('contentBlockDelta', body.toString())).toEqual(Buffer.from(codec.encode({ headers, body })));
  });

  it('X-1: names of models come percent-encoded, under any prefix', async () => {
    const sim = await start();
    const arn = 'arn:aws:bedrock:us-east-1::foundation-model/some.model-v1:0';
    await ask(sim, arn);
    await sendRaw({ url: `${sim.url}/v1/model/ok/converse`, body: { messages: ASKED } });
    expect(sim.calls.map((call) => call.model)).toEqual([arn, 'ok']);
  });

  it('X-1: calls, several of them, their results, and words behind them', async () => {
    const sim = await start();
    const two = { toolConfig: { tools: [WEATHER, { toolSpec: { ...WEATHER.toolSpec, name: 'other' } }] } };
    const { output, stopReason } = await whole(sim, 'tools', two);
    expect(output.message.content.map((block) => block['toolUse']!['name'])).toEqual(['get_weather', 'other']);
    expect(stopReason).toBe('tool_use');
    const results = output.message.content.map((block) => ({
      toolResult: { toolUseId: block['toolUse']!['toolUseId'], content: [{ text: '7' }] },
    }));
    const messages = [
      ...ASKED,
      { role: 'assistant', content: output.message.content },
      { role: 'user', content: results },
    ];
    expect((await whole(sim, 'tools', { ...two, messages })).stopReason).toBe('end_turn');
    const forced = await whole(sim, 'ok', { toolConfig: { tools: [WEATHER], toolChoice: { any: {} } } });
    expect(forced.stopReason).toBe('tool_use');
  });

  it('X-1: schemas, limits, stops and effort are obeyed', async () => {
    const sim = await start();
    const schema = JSON.stringify(WEATHER.toolSpec.inputSchema.json);
    const fitted = await whole(sim, 'ok', {
      outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema: { schema } } } },
    });
    expect(JSON.parse(String(fitted.output.message.content[0]!['text']))).toEqual({ city: 'sim' });
    const short = await whole(sim, 'ok', { inferenceConfig: { maxTokens: 1 } });
    expect([short.stopReason, short.usage['outputTokens']]).toEqual(['max_tokens', 1]);
    const stopped = await whole(sim, 'echo', { inferenceConfig: { stopSequences: [' back'] } });
    expect([stopped.stopReason, stopped.output.message.content]).toEqual(['stop_sequence', [{ text: 'say it' }]]);
    const thinking = await whole(sim, 'ok', { outputConfig: { effort: 'high' } });
    expect(Object.keys(thinking.output.message.content[0]!)).toEqual(['reasoningContent']);
  });

  it('X-1: labels: reasons of ending, a frame that is not what its checksum says', async () => {
    const sim = await start();
    expect((await whole(sim, 'ok:finish-malformed-tool-use')).stopReason).toBe('malformed_tool_use');
    expect((await ask(sim, 'ok:finish-nothing')).status).toBe(404);
    const { body } = await ask(sim, 'ok:bad-checksum', {}, 'converse-stream');
    expect(() => framesOf(body)).toThrow(/checksum/);
  });

  it('X-1: errors have their kind in a header, and in a stream as an exception', async () => {
    const sim = await start();
    for (const [model, status, kind] of [
      ['fail-429', 429, 'ThrottlingException'],
      ['fail-503', 503, 'ServiceUnavailableException'],
      ['fail-404', 404, 'ResourceNotFoundException'],
      ['too-long', 400, 'ValidationException'],
    ] as const) {
      const { headers, status: got } = await ask(sim, model);
      expect([model, got, headers['x-amzn-errortype']]).toEqual([model, status, kind]);
    }
    for (const [model, name] of [
      ['error-2', 'internalServerException'],
      ['error-2-429', 'throttlingException'],
      ['error-2-529', 'serviceUnavailableException'],
      ['error-2-424', 'modelStreamErrorException'],
      ['error-2-400', 'validationException'],
    ] as const) {
      const { body } = await ask(sim, model, {}, 'converse-stream');
      expect([model, framesOf(body).at(-1)]).toEqual([model, expect.stringMatching(`^exception ${name} {"message":`)]);
    }
  });
});

const call = (id: string) => ({ toolUse: { toolUseId: id, name: 'get_weather', input: {} } });
const answered = (id: string) => ({ toolResult: { toolUseId: id, content: [{ text: '7' }] } });
const assistant = (...content: readonly object[]) => ({ role: 'assistant', content });
const user = (...content: readonly object[]) => ({ role: 'user', content });

describe('what the simulator’s Converse refuses', () => {
  it.each<[string, object, RegExp]>([
    ['an unknown field', { temperature: 1 }, /extraneous key \[temperature\]/],
    ['no message', { messages: [] }, /messages field is empty/],
    ['an answer first', { messages: [assistant({ text: 'a' })] }, /must start with a user message/],
    ['two of one role', { messages: [...ASKED, ...ASKED] }, /must alternate/],
    ['system among the turns', { messages: [{ role: 'system', content: [{ text: 'a' }] }] }, /enum value set/],
    ['no content', { messages: [user()] }, /content field in the Message object at messages\.0 is empty/],
    ['a blank text', { messages: [user({ text: ' ' })] }, /text field .* is blank/],
    ['two kinds in one block', { messages: [user({ text: 'a', image: {} })] }, /exactly one/],
    ['a text as content', { messages: [{ role: 'user', content: 'a' }] }, /JSONArray/],
    [
      'a picture by address',
      { messages: [user({ image: { format: 'png', source: { url: 'u' } } })] },
      /extraneous key \[url\]/,
    ],
    [
      'a picture of no bytes',
      { messages: [user({ image: { format: 'png', source: { bytes: '' } } })] },
      /length greater/,
    ],
    [
      'a picture of another kind',
      { messages: [user({ image: { format: 'tiff', source: { bytes: 'AAAA' } } })] },
      /enum/,
    ],
    [
      'a document without words',
      { messages: [user({ document: { format: 'pdf', name: 'a', source: { bytes: 'AAAA' } } })] },
      /must have a text block/,
    ],
    [
      'a document with an odd name',
      { messages: [user({ text: 'a' }, { document: { format: 'pdf', name: 'a.pdf', source: { bytes: 'AAAA' } } })] },
      /regular expression/,
    ],
    [
      'calls without tools',
      { messages: [...ASKED, assistant(call('c')), user(answered('c'))] },
      /toolConfig field must be/,
    ],
    [
      'a call without result',
      { ...TOOLS, messages: [...ASKED, assistant(call('c')), user({ text: 'a' })] },
      /Expected toolResult/,
    ],
    ['a call at the end', { ...TOOLS, messages: [...ASKED, assistant(call('c'))] }, /Expected toolResult/],
    ['a result without call', { ...TOOLS, messages: [user(answered('c'))] }, /exceeds the number/],
    [
      'a late result',
      { ...TOOLS, messages: [...ASKED, assistant(call('c')), user({ text: 'a' }, answered('c'))] },
      /must come first/,
    ],
    [
      'arguments that are no object',
      {
        ...TOOLS,
        messages: [...ASKED, assistant({ toolUse: { toolUseId: 'c', name: 'f', input: '{}' } }), user(answered('c'))],
      },
      /json object/,
    ],
    [
      'an id of other letters',
      { ...TOOLS, messages: [...ASKED, assistant(call('a|b')), user(answered('a|b'))] },
      /regular expression/,
    ],
    ['no tools at all', { toolConfig: { tools: [] } }, /length greater/],
    [
      'a schema of another type',
      { toolConfig: { tools: [{ toolSpec: { name: 'f', inputSchema: { json: {} } } }] } },
      /one of the following: object/,
    ],
    [
      'a name of other letters',
      { toolConfig: { tools: [{ toolSpec: { ...WEATHER.toolSpec, name: 'a.b' } }] } },
      /regular expression/,
    ],
    ['two tools of one name', { toolConfig: { tools: [WEATHER, WEATHER] } }, /more than once/],
    ['an unknown choice', { toolConfig: { tools: [WEATHER], toolChoice: { none: {} } } }, /extraneous key \[none\]/],
    [
      'a choice of no tool',
      { toolConfig: { tools: [WEATHER], toolChoice: { tool: { name: 'x' } } } },
      /not in toolConfig/,
    ],
    ['too hot', { inferenceConfig: { temperature: 1.5 } }, /less than or equal to 1/],
    ['an effort nobody knows', { outputConfig: { effort: 'minimal' } }, /enum value set/],
    [
      'a schema that is no text',
      { outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema: { schema: {} } } } } },
      /expected type: String/,
    ],
    [
      'too small a budget',
      { additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 10 } } },
      /1024/,
    ],
    [
      'a budget above the limit',
      {
        inferenceConfig: { maxTokens: 2000 },
        additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 2000 } },
      },
      /must be greater/,
    ],
    [
      'a thought of others',
      {
        messages: [
          ...ASKED,
          assistant({ reasoningContent: { reasoningText: { text: 'a', signature: 'b' } } }, { text: 'c' }),
          ...ASKED,
        ],
      },
      /Invalid `signature`/,
    ],
    [
      'a sealed thought of others',
      { messages: [...ASKED, assistant({ reasoningContent: { redactedContent: 'AAAA' } }, { text: 'c' }), ...ASKED] },
      /Invalid `data`/,
    ],
  ])('X-1: %s', async (_name, fields, message) => {
    const { status, text, headers } = await ask(await start(), 'ok', fields);
    expect([status, headers['x-amzn-errortype']]).toEqual([400, 'ValidationException']);
    expect((JSON.parse(text) as Answer).message).toMatch(message);
  });

  it('X-1: strict models want a key, no prefill, no sampling, no forced calls', async () => {
    const sim = await start();
    const url = `${sim.url}/model/strict-ok/converse`;
    const keyed = { authorization: 'Bearer k' };
    const post = (fields: object, headers: Record<string, string> = keyed): Promise<RawAnswer> =>
      sendRaw({ url, headers, body: { messages: ASKED, ...fields } });
    expect((await post({})).status).toBe(200);
    expect((await post({}, {})).headers['x-amzn-errortype']).toBe('MissingAuthenticationTokenException');
    for (const fields of [
      { messages: [...ASKED, assistant({ text: 'a' })] },
      { inferenceConfig: { temperature: 1 } },
      { toolConfig: { tools: [WEATHER], toolChoice: { any: {} } } },
      { additionalModelRequestFields: { thinking: { type: 'disabled' } } },
    ]) {
      expect((await post(fields)).status).toBe(400);
    }
  });

  it('R-5: its own thoughts are taken back', async () => {
    const content = [
      { reasoningContent: { reasoningText: { text: 'a', signature: signatureOf('a') } } },
      { reasoningContent: { redactedContent: sealThought('b') } },
      { text: 'c' },
    ];
    expect((await ask(await start(), 'ok', { messages: [...ASKED, assistant(...content), ...ASKED] })).status).toBe(
      200,
    );
  });
});

describe('signatures', () => {
  const KEY = 'AKIASIMULATOR001';

  interface Signing {
    readonly secret?: string;
    readonly token?: string;
    readonly service?: string;
  }

  async function signed(sim: Simulator, model: string, more: Signing = {}, change = false): Promise<RawAnswer> {
    const body = JSON.stringify({ messages: ASKED });
    const signer = new AwsV4Signer({
      method: 'POST',
      url: `${sim.url}/model/${encodeURIComponent(model)}/converse`,
      headers: { 'content-type': 'application/json', 'x-amz-extra': '  a   b ' },
      body,
      accessKeyId: KEY,
      secretAccessKey: more.secret ?? secretOf(KEY),
      ...(more.token === undefined ? {} : { sessionToken: more.token }),
      service: more.service ?? 'bedrock',
      region: 'eu-west-1',
      datetime: '20261130T100000Z',
      allHeaders: true,
    });
    const { url, headers } = await signer.sign();
    const sent = Object.fromEntries(headers);
    return sendRaw({ url: url.href, headers: sent, body: JSON.parse(change ? body.replace('back', 'bach') : body) });
  }

  it('X-1: a good one is let in, names with colons and slashes and all', async () => {
    const sim = await start();
    for (const model of ['ok', 'us.maker.model-v1:0', 'arn:aws:bedrock:x::y/z(1)']) {
      expect([model, (await signed(sim, model, { token: 'session/+=' })).status]).toEqual([model, 200]);
    }
  });

  it.each<[string, Signing, boolean, string]>([
    ['another secret', { secret: 'wrong' }, false, 'InvalidSignatureException'],
    ['another body', {}, true, 'InvalidSignatureException'],
    ['another service', { service: 's3' }, false, 'IncompleteSignatureException'],
  ])('X-1: %s is refused', async (_name, more, change, kind) => {
    const { status, headers } = await signed(await start(), 'ok', more, change);
    expect([status, headers['x-amzn-errortype']]).toEqual([403, kind]);
  });
});
