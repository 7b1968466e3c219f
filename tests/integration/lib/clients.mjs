// The clients that a test can be: what each of them says about itself in `initialize`.
const files = { readTextFile: true, writeTextFile: true };

const airCapabilities = ['diffPatch', 'rawInputRendering', 'sessionFailure', 'recommendedValue', 'asyncTasks', 'agentFileChangeReport', 'nativeSubagentSessions', 'planFile'];
const airMeta = (capabilities) => ({ terminal_output_delta: true, jetbrains: { air: { version: 1, capabilities } } });
const air = (capabilities) => ({
  protocolVersion: 1,
  clientInfo: { name: 'air', title: 'AIR', version: '1.0.0' },
  clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, elicitation: { form: {} }, _meta: airMeta(capabilities) },
});

export const clients = {
  plain: { protocolVersion: 1, clientCapabilities: {} },
  planner: { protocolVersion: 1, clientCapabilities: { plan: {} } },
  delegator: { protocolVersion: 1, clientCapabilities: { subagents: {}, session: { notices: {} } } },
  zed: {
    protocolVersion: 1,
    clientInfo: { name: 'zed', title: 'Zed', version: '1.0.0' },
    clientCapabilities: {
      fs: files, terminal: true, auth: { terminal: true }, session: { configOptions: { boolean: {} } }, elicitation: { form: {}, url: {} },
      _meta: { terminal_output: true, 'terminal-auth': true },
    },
  },
  air: air(airCapabilities),
  'air-min': air([]),
  'air-legacy': air(airCapabilities.filter((name) => !['diffPatch', 'planFile', 'rawInputRendering'].includes(name))),
  v2: {
    protocolVersion: 2,
    info: { name: 'v2-client', title: 'V2 Client', version: '1.0.0' },
    capabilities: { auth: { terminal: {} }, elicitation: { form: {}, url: {} } },
  },
  'v2-min': { protocolVersion: 2, info: { name: 'v2-client', version: '1.0.0' } },
  'v2-air': {
    protocolVersion: 2,
    info: { name: 'air', title: 'AIR', version: '1.0.0' },
    capabilities: { elicitation: { form: {} }, _meta: airMeta(airCapabilities) },
  },
};

export const speaksV2 = (client) => clients[client]?.protocolVersion === 2;
// Whether a client asks for features that the stable protocol does not know.
export const usesDrafts = (client) => ['planner', 'delegator'].includes(client);
