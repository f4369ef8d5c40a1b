// The framework's engine, from where bin/test puts it: beside the packages of Python, where Node.js would not look.

import { createRequire } from 'node:module';

const require = createRequire(new URL('../../../.venv/', import.meta.url));

export const { flowChart, FlowChartExecutor } = require('footprintjs');
