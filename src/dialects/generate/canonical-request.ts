/** A request of this dialect as the canonical model has it. What cannot be read is the client's own fault (400). */
import { bad, good, type Read } from '../../core/request/read.ts';
import type { BodyView } from '../bytes/body-view.ts';
import { objectsIn } from '../bytes/nested.ts';
import { OWN_FIELDS } from '../bytes/own-fields.ts';
import type { CanonicalRequest, Part } from '../canonical.ts';
import type { ClientRequest } from '../contract.ts';
import { memberText } from '../cross/json-text.ts';
import { readContents } from './canonical-contents.ts';
import { readConfig } from './canonical-options.ts';
import { readToolChoice, readTools } from './canonical-tools.ts';
import { camelCase, given, objectGiven, valueGiven } from './fields.ts';
import { type Gathered, noteOthers } from './gathered.ts';
import { BOUND, HINTS, MODELLED, SPOKEN_FOR } from './request-fields.ts';

const KNOWN: ReadonlySet<string> = new Set([...MODELLED, ...SPOKEN_FOR, ...OWN_FIELDS.map(camelCase)]);
const KNOWN_OF_SYSTEM: ReadonlySet<string> = new Set(['role', 'parts']);
const TEXT_ALONE: ReadonlySet<string> = new Set(['text']);
const NULL = 0x6e;

export function readCanonical(request: ClientRequest): Read<CanonicalRequest> {
  const { view } = request;
  const gathered = gather(view);
  const turns = readContents(view, gathered);
  if (typeof turns === 'string') return bad('invalid_parameter', turns, 'contents');
  const tools = readTools(view, gathered);
  if (typeof tools === 'string') return bad('invalid_parameter', tools, 'tools');
  const config = readConfig(view, gathered);
  if (typeof config === 'string') return bad('invalid_parameter', config, 'generationConfig');
  return good({
    system: readSystem(view, gathered),
    turns,
    tools,
    toolChoice: readToolChoice(view, gathered),
    parallelCalls: null,
    ...config,
    n: request.n,
    bound: [...gathered.bound],
    hints: gathered.hints,
    stream: request.stream,
    prefill: turns.at(-1)?.role === 'assistant',
  });
}

function gather(view: BodyView): Gathered {
  const gathered: Gathered = { hints: new Map(), bound: new Set() };
  for (const found of view.members) {
    const name = camelCase(found.key);
    if (KNOWN.has(name) || view.bytes[found.valueStart] === NULL) continue;
    const bound = BOUND.get(name);
    if (bound !== undefined) gathered.bound.add(bound);
    else gathered.hints.set(HINTS.get(name) ?? found.key, memberText(view, found));
  }
  return gathered;
}

/** A content whose role says nothing; some clients send its text alone. */
function readSystem(view: BodyView, gathered: Gathered): Part[] {
  const plain = valueGiven(view, 'systemInstruction');
  if (typeof plain === 'string') return plain === '' ? [] : [{ type: 'text', text: plain }];
  const content = objectGiven(view, 'systemInstruction');
  if (content !== null) noteOthers(content, KNOWN_OF_SYSTEM, 'systemInstruction', gathered);
  if (content === null || given(content, 'parts') === null) return [];
  const single = objectGiven(content, 'parts');
  return (single === null ? objectsIn(content, 'parts') : [single]).flatMap((part): Part[] => {
    const text = valueGiven(part, 'text');
    noteOthers(part, TEXT_ALONE, 'systemInstruction.parts', gathered);
    return typeof text === 'string' && text !== '' ? [{ type: 'text', text }] : [];
  });
}
