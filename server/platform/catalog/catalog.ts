import Type, { type Static } from 'typebox';
import { boolean, list, object, oneOf } from '../../http/input/fields.ts';
import { name } from '../../http/input/names.ts';
import { agentFields, providerFields } from './agent-fields.ts';
import { erpProgram } from './erp-programs.ts';

/**
 * The catalog: what the operator offers to everyone, as `get_config` shows it. The file at
 * GUILDHALL_CATALOG has this form, and parts besides that are shown to no one.
 */

const erpVersion = object({
  version: Type.String({
    minLength: 1,
    maxLength: 20,
    pattern: '^[0-9A-Za-z][0-9A-Za-z.~-]*$',
    description: 'As projects name it, such as `19.0`.',
  }),
  editions: list(oneOf(['community', 'enterprise']), { minItems: 1, maxItems: 2 }),
  status: oneOf(['supported', 'end_of_life'], {
    description: 'Whether the vendor still corrects errors of this version.',
  }),
});

const price = (description: string) =>
  Type.String({ pattern: '^[0-9]{1,6}\\.[0-9]{2,6}$', description });

const id = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[0-9A-Za-z][0-9A-Za-z._:/-]*$', description });

const tokens = (description: string) =>
  Type.Integer({ minimum: 1_000, maximum: 100_000_000, description });

const fieldsOfModel = {
  id: id(100, 'As projects and tasks name it.'),
  name: name({ maxLength: 100, description: 'As people see it.' }),
  agent: id(50, 'The agent that runs it.'),
  prices: object(
    {
      input: price('Tokens sent to the model.'),
      output: price('Tokens that the model writes.'),
      cache_read: Type.Optional(price('Tokens sent that the model reads from its cache.')),
      cache_write: Type.Optional(price('Tokens sent that the model writes to its cache.')),
      cache_write_1h: Type.Optional(
        price('The same where the cache keeps them for an hour; twice `input` by default.'),
      ),
    },
    { description: 'USD per million tokens.' },
  ),
};

const erp = object({ versions: list(erpVersion, { minItems: 1, maxItems: 100 }) });

const pods = object(
  { price_per_hour: price('USD of an hour in which the pod of a task runs.') },
  { description: 'Where agents work.' },
);

const fieldsOfImage = {
  id: id(100, 'As projects and build files name it.'),
  name: name({ maxLength: 100, description: 'As people see it.' }),
};

const imageOfFile = object({
  ...fieldsOfImage,
  image: Type.String({
    minLength: 1,
    maxLength: 300,
    pattern: '^[0-9A-Za-z][0-9A-Za-z._:/@-]*$',
    description: 'As the engine of containers names it.',
  }),
});

const erpInstances = object(
  { price_per_hour: price('USD of an hour in which the ERP instance of a task runs.') },
  { description: 'Throwaway ERP systems for tasks.' },
);

const modelOfFile = object({
  ...fieldsOfModel,
  is_default: boolean({ default: false }),
  provider: Type.Optional(id(50, 'The provider that has it.')),
  model: Type.Optional(id(200, 'As its provider names it; without it, the id.')),
  context_tokens: Type.Optional(tokens('Tokens that it takes in a request at most.')),
  output_tokens: Type.Optional(tokens('Tokens that it writes in an answer at most.')),
});

/** The file: parts that are shown and left out are those of the default catalog. */
export const catalogFile = object({
  erp: Type.Optional(erp),
  models: Type.Optional(list(modelOfFile, { maxItems: 500 })),
  pods: Type.Optional(pods),
  images: Type.Optional(list(imageOfFile, { maxItems: 100 })),
  erp_instances: Type.Optional(erpInstances),
  erp_programs: Type.Optional(list(erpProgram, { maxItems: 100 })),
  agents: Type.Optional(list(agentFields, { maxItems: 100 })),
  providers: Type.Optional(list(providerFields, { maxItems: 100 })),
});

/** The catalog as it is shown. */
export const catalogSchema = Type.Object({
  erp,
  models: Type.Array(
    object({
      ...fieldsOfModel,
      is_default: Type.Boolean({
        description: 'The model of a project or task that names none; at most one is.',
      }),
    }),
  ),
  pods,
  images: Type.Array(object(fieldsOfImage), {
    description: 'Images of containers that projects may choose for the pods of their tasks.',
  }),
  erp_instances: erpInstances,
});

/** An image of the catalog, and what its engine calls it. */
export type OfferedImage = Static<typeof imageOfFile>;

export type Catalog = Static<typeof catalogSchema>;

const editions: Catalog['erp']['versions'][number]['editions'] = ['community', 'enterprise'];

/**
 * The catalog without a file. The vendor supports its three latest major versions; by its plan,
 * support of 17.0 ended in September 2026.
 */
export const defaultCatalog: Catalog = {
  erp: {
    versions: [
      { version: '19.0', editions, status: 'supported' },
      { version: '18.0', editions, status: 'supported' },
      { version: '17.0', editions, status: 'end_of_life' },
      { version: '16.0', editions, status: 'end_of_life' },
    ],
  },
  models: [
    {
      id: 'sandbox',
      name: 'Sandbox',
      agent: 'sandbox',
      is_default: true,
      prices: { input: '0.00', output: '0.00' },
    },
  ],
  pods: { price_per_hour: '0.00' },
  images: [],
  erp_instances: { price_per_hour: '0.00' },
};
