/** Rules for the order of what was said: who may follow whom, calls and their results, signatures of calls. */
import { fieldsOf } from '../../answer/fields.ts';
import type { Message } from './check-message.ts';
import { partProblem } from './parts.ts';
import { listOf } from './schema.ts';

/** One content of a request that has been checked, or the model's contents that followed each other. */
interface Turn {
  readonly role: string;
  readonly parts: readonly Message[];
  readonly calls: readonly Message[];
  readonly results: readonly Message[];
}

const ROLES = ['user', 'model', 'function'];
const ROOT = 'GenerateContentRequest.contents';

/** What is wrong with the contents, in the vendor's words; null = nothing. */
export function contentsProblem(contents: readonly Message[], model: string, strict: boolean): string | null {
  if (contents.length === 0) return `* ${ROOT}: contents is not specified\n`;
  const said = contents.map((content) => turnOf(roleOf(content), listOf(content['parts'])));
  for (const [i, turn] of said.entries()) {
    const problem = turnProblem(turn, `${ROOT}[${i}]`, model, strict);
    if (problem !== null) return problem;
  }
  const turns = merged(said);
  for (let i = 0; i < turns.length; i += 1) {
    const problem = orderProblem(turns, i);
    if (problem !== null) return problem;
  }
  return strict ? unsignedProblem(turns) : null;
}

function roleOf(content: Message): string {
  return typeof content['role'] === 'string' && content['role'] !== '' ? content['role'] : 'user';
}

function turnOf(role: string, parts: readonly Message[]): Turn {
  const holding = (field: string): Message[] =>
    parts.filter((part) => part[field] !== undefined).map((part) => fieldsOf(part[field]));
  return { role, parts, calls: holding('functionCall'), results: holding('functionResponse') };
}

/** Clients put the chunks of a stream one by one into their history: together they are one answer. */
function merged(said: readonly Turn[]): Turn[] {
  const turns: Turn[] = [];
  for (const turn of said) {
    const before = turns.at(-1);
    if (before?.role !== 'model' || turn.role !== 'model') turns.push(turn);
    else turns[turns.length - 1] = turnOf('model', [...before.parts, ...turn.parts]);
  }
  return turns;
}

function turnProblem(turn: Turn, path: string, model: string, strict: boolean): string | null {
  if (!ROLES.includes(turn.role)) return 'Please use a valid role: user, model.';
  if (turn.parts.length === 0) return `* ${path}.parts: contents.parts must not be empty.\n`;
  for (const [i, part] of turn.parts.entries()) {
    const problem = partProblem(part, `${path}.parts[${i}]`, { model, strict, spokenByModel: turn.role === 'model' });
    if (problem !== null) return problem;
  }
  if (turn.calls.length > 0 && turn.role !== 'model') return 'Please ensure that function calls are of role model.';
  if (turn.results.length > 0 && turn.role === 'model')
    return 'Please ensure that function responses are of role user.';
  return null;
}

function orderProblem(turns: readonly Turn[], at: number): string | null {
  const turn = turns[at];
  const before = turns[at - 1];
  const after = turns[at + 1];
  if (turn === undefined) return null;
  if (turn.calls.length > 0) {
    if (before === undefined) {
      return 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.';
    }
    if (after === undefined || after.results.length === 0) {
      return (
        'Please ensure that function response turn comes immediately after a function call turn. And the number of ' +
        'function response parts should be equal to number of function call parts of the function call turn.'
      );
    }
  }
  return turn.results.length > 0 ? resultsProblem(turn.results, before?.calls ?? []) : null;
}

/** Every call has one result: by id where both have ids, else by name. */
function resultsProblem(results: readonly Message[], calls: readonly Message[]): string | null {
  if (calls.length === 0) {
    return 'Please ensure that function response turn comes immediately after a function call turn.';
  }
  if (calls.length !== results.length) {
    return (
      'Please ensure that the number of function response parts is equal to the number of function call parts of the ' +
      'function call turn.'
    );
  }
  const open = [...calls];
  for (const result of results) {
    const id = result['id'];
    const found = open.findIndex((call) => {
      const sameId = id === undefined || call['id'] === undefined || call['id'] === id;
      return sameId && call['name'] === result['name'];
    });
    if (found < 0) return `No function call awaits the function response \`${String(id ?? result['name'])}\`.`;
    open.splice(found, 1);
  }
  return null;
}

/** Since the user last spoke, the first call of every answer must bring its signature back. */
function unsignedProblem(turns: readonly Turn[]): string | null {
  const spoke = turns.findLastIndex((turn) => turn.role === 'user' && turn.results.length === 0);
  for (const [i, turn] of turns.entries()) {
    if (i <= spoke || turn.calls.length === 0) continue;
    const first = turn.parts.find((part) => part['functionCall'] !== undefined);
    if (typeof first?.['thoughtSignature'] === 'string' && first['thoughtSignature'] !== '') continue;
    const name = String(fieldsOf(first?.['functionCall'])['name']);
    return (
      'Function call is missing a thought_signature in functionCall parts. This is required for tools to work ' +
      'correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call ' +
      `\`default_api:${name}\` , position ${i + 1}.`
    );
  }
  return null;
}
