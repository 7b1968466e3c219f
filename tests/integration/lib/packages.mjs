// The npm packages of the tests, from the folder into which tests/run has installed them, and the protocol's schema.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export const packages = process.env.HERALD_TEST_PACKAGES;
export const inPackages = (...path) => join(packages, 'node_modules', ...path);
const load = (...path) => import(pathToFileURL(inPackages(...path)));

// The protocol as it stands, and with the features that are drafts.
export const stable = { acp: await load('@agentclientprotocol/sdk/dist/v1/stable/acp.js'), check: null };
export const unstable = { acp: await load('@agentclientprotocol/sdk/dist/v1/unstable/acp.js'), check: null };

export const v2 = { acp: await load('@agentclientprotocol/sdk/dist/v2/unstable/acp.js'), check: null };

const { default: Ajv } = await load('ajv/dist/2020.js');

// Checks every message of an agent against the protocol's own JSON schema. A definition says which method it
// belongs to; what has no definition is an extension and is left to the tests.
export function schemaChecker(file) {
  const schema = JSON.parse(readFileSync(inPackages(`@agentclientprotocol/sdk/schema/${file}`), 'utf8'));
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(schema, 'acp');
  const byMethod = { request: new Map(), response: new Map(), notification: new Map() };
  for (const [name, definition] of Object.entries(schema.$defs)) {
    const kind = /(Request|Response|Notification)$/.exec(name)?.[1].toLowerCase();
    // Requests and notifications go to the side that is named, responses come from it.
    const fromAgent = kind === 'response' ? definition['x-side'] === 'agent' : definition['x-side'] === 'client';
    if (definition['x-method'] && kind && fromAgent) byMethod[kind].set(definition['x-method'], name);
  }
  return (kind, method, value) => {
    const name = byMethod[kind].get(method);
    if (!name) return [];
    const validate = ajv.getSchema(`acp#/$defs/${name}`);
    return validate(value) ? [] : validate.errors.slice(0, 5).map((e) => `${kind} of ${method}: ${e.instancePath || '/'} ${e.message} in ${JSON.stringify(value).slice(0, 300)}`);
  };
}

stable.check = schemaChecker('v1/schema.json');
unstable.check = schemaChecker('v1/schema.unstable.json');
// The draft of v2 has gone on: commands have a type now, which the version that Herald follows does not know.
const newest = schemaChecker('v2/schema.unstable.json');
const typed = (commands) => commands?.map((command) => ({ type: 'command', ...command }));
v2.check = (kind, method, value) => {
  if (value?.availableCommands) value = { ...value, availableCommands: typed(value.availableCommands) };
  if (value?.update?.availableCommands) value = { ...value, update: { ...value.update, availableCommands: typed(value.update.availableCommands) } };
  return newest(kind, method, value);
};
