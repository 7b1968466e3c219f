// The clients that a test can be: what each of them says about itself in `initialize`.
const files = { readTextFile: true, writeTextFile: true };

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
  air: {
    protocolVersion: 1,
    clientInfo: { name: 'air', title: 'AIR', version: '1.0.0' },
    clientCapabilities: {
      fs: { readTextFile: false, writeTextFile: false }, elicitation: { form: {} },
      _meta: {
        terminal_output_delta: true,
        jetbrains: { air: { version: 1, capabilities: ['diffPatch', 'rawInputRendering', 'sessionFailure', 'recommendedValue', 'asyncTasks', 'agentFileChangeReport', 'nativeSubagentSessions', 'planFile'] } },
      },
    },
  },
  v2: {
    protocolVersion: 2,
    info: { name: 'v2-client', title: 'V2 Client', version: '1.0.0' },
    capabilities: { auth: { terminal: {} }, elicitation: { form: {}, url: {} } },
  },
};

export const speaksV2 = (client) => clients[client]?.protocolVersion === 2;
// Whether a client asks for features that the stable protocol does not know.
export const usesDrafts = (client) => ['planner', 'delegator'].includes(client);
