/** Which step answers a model's next call. Steps are consumed in the order in which calls arrive. */
import type { Script, Step } from './step.ts';

/** A step chosen for a call; `run` counts from 0 how often this step has answered. */
export interface Turn {
  readonly step: Step;
  readonly run: number;
}

interface Place {
  index: number;
  used: number;
}

export class ScriptCursor {
  readonly #script: Script;
  readonly #places = new Map<string, Place>();

  constructor(script: Script) {
    this.#script = script;
  }

  /** The model's turn, or null when the script doesn't speak of it. `reused`: not the connection's first request. */
  take(model: string, reused: boolean): Turn | null {
    const name = this.#nameFor(model);
    const steps = name === null ? undefined : this.#script.models[name];
    if (name === null || steps === undefined) return null;
    const place = this.#placeOf(name);
    const step = steps[place.index];
    if (step === undefined) return null;
    const run = place.used;
    // A fault of reused connections waits for one; the call on a fresh connection gets a healthy answer meanwhile.
    if (step.socket === 'rst_on_reuse_before_response' && !reused) {
      return { step: { ...step, socket: undefined }, run };
    }
    place.used += 1;
    if (place.used >= (step.times ?? 1) && place.index < steps.length - 1) {
      place.index += 1;
      place.used = 0;
    }
    return { step, run };
  }

  /** The step of `*` that answers before the body is read, if it is its turn. */
  takeEarly(reused: boolean): Turn | null {
    const steps = this.#script.models['*'];
    if (steps === undefined) return null;
    return steps[this.#placeOf('*').index]?.before_body === true ? this.take('*', reused) : null;
  }

  /** Every model of the script is at a step that refuses connections: the port itself has to be closed. */
  refusesAll(): boolean {
    const names = Object.keys(this.#script.models);
    return (
      names.length > 0 &&
      names.every((name) => this.#script.models[name]?.[this.#placeOf(name).index]?.socket === 'refused')
    );
  }

  #nameFor(model: string): string | null {
    if (Object.hasOwn(this.#script.models, model)) return model;
    return Object.hasOwn(this.#script.models, '*') ? '*' : null;
  }

  #placeOf(name: string): Place {
    let place = this.#places.get(name);
    if (place === undefined) {
      place = { index: 0, used: 0 };
      this.#places.set(name, place);
    }
    return place;
  }
}
