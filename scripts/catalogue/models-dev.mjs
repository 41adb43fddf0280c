/** Reads a checkout of the models.dev list (github.com/anomalyco/models.dev): one TOML file for each provider's model. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseToml } from './toml.mjs';

/** Facts of a model that those who serve it inherit. */
const INHERITED = ['reasoning', 'tool_call', 'structured_output', 'modalities', 'limit'];

function tomlFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return tomlFiles(file);
    // Some entries are links to another provider's; a link that leads nowhere states nothing.
    return entry.name.endsWith('.toml') && existsSync(file) ? [file] : [];
  });
}

function withBase(checkout, own) {
  if (own.base_model === undefined) return own;
  const base = parseToml(readFileSync(path.join(checkout, 'models', `${own.base_model}.toml`), 'utf8'));
  const merged = { ...own };
  for (const name of INHERITED) {
    if (base[name] === undefined) continue;
    const isTable = typeof base[name] === 'object' && !Array.isArray(base[name]);
    merged[name] = isTable ? { ...base[name], ...own[name] } : (own[name] ?? base[name]);
  }
  for (const dotted of own.base_model_omit ?? []) omit(merged, dotted.split('.'));
  return merged;
}

function omit(table, [name, ...rest]) {
  if (table?.[name] === undefined) return;
  if (rest.length === 0) delete table[name];
  else omit(table[name], rest);
}

/** The models of one provider folder by id, as the list states them. */
export function readModelsDev(checkout, provider) {
  const folder = path.join(checkout, 'providers', provider, 'models');
  const models = new Map();
  for (const file of tomlFiles(folder)) {
    const id = path.relative(folder, file).split(path.sep).join('/').slice(0, -'.toml'.length);
    models.set(id, withBase(checkout, parseToml(readFileSync(file, 'utf8'))));
  }
  return models;
}
