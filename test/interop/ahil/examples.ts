// The examples of the published AHIL 1.0 text (CC0), as they stand.

/** One of each type, in the text's order. */
export const SEVEN = [
  {
    id: 'scout-20260317-001',
    type: 'observation',
    from: 'scout',
    to: 'all',
    date: '2026-03-17',
    status: 'noted',
    content:
      'Polars 1.39.2 released 2026-03-17. Adds scan_iceberg() identifier string support — Iceberg tables now scannable by slug without additional config. Trending strongly in the DE community.',
    context: {
      tool: 'polars',
      version: '1.39.2',
      source: 'pypi/github',
    },
  },
  {
    id: 'scout-20260317-002',
    type: 'recommendation',
    from: 'scout',
    to: 'project_architect',
    date: '2026-03-17',
    status: 'pending',
    content:
      'Microsoft BitNet b1.58 (35k+ stars, trending +6k/week) enables 100B LLM inference on a single CPU. No case study covers CPU-native LLM inference for DSGVO-constrained DE teams. Recommend case study: Local LLM Inference Pipeline using BitNet + Airflow 3.1 + DuckDB.',
    context: {
      trigger_tool: 'microsoft-bitnet',
      suggested_slug: 'local-llm-inference-pipeline',
      suggested_title: 'Local LLM Inference Pipeline — BitNet on CPU',
      priority: 'high',
    },
  },
  {
    id: 'monitor-20260317-001',
    type: 'alert',
    from: 'data_freshness_monitor',
    to: 'human',
    date: '2026-03-17',
    status: 'pending',
    content:
      'orders_mart table has not been refreshed in 52 hours. Last refresh: 2026-03-15T08:02Z. Daily schedule breach. Downstream dashboards are serving stale data.',
    context: {
      table: 'orders_mart',
      last_refreshed: '2026-03-15T08:02Z',
      hours_stale: 52,
      severity: 'critical',
    },
  },
  {
    id: 'human-20260317-001',
    type: 'order',
    from: 'human',
    to: 'project_architect',
    date: '2026-03-17',
    status: 'pending',
    content:
      'Prioritise the BitNet inference case study over any other pending recommendations this cycle. It must be the first case built in the next run.',
    context: {
      priority: 'high',
    },
  },
  {
    id: 'human-20260317-002',
    type: 'approval',
    from: 'human',
    to: 'project_architect',
    date: '2026-03-17',
    status: 'noted',
    content: 'Approved: build the OpenViking agent context database case study as Case #021.',
    context: {
      ref: 'scout-20260317-003',
      priority: 'medium',
    },
  },
  {
    id: 'human-20260317-003',
    type: 'override',
    from: 'human',
    to: 'publisher',
    date: '2026-03-17',
    status: 'pending',
    content:
      'Do not push to production today. Hold the release until the AHIL spec page is also included in the commit.',
    context: {
      ref: 'publisher-20260317-001',
      reason: 'incomplete release',
    },
  },
  {
    id: 'project_architect-20260317-001',
    type: 'acknowledgement',
    from: 'project_architect',
    to: 'scout',
    date: '2026-03-17',
    status: 'acted',
    content:
      'Created projects/local-llm-inference-pipeline/index.html as Case #020. Project card added to index.html. ADPL pipeline file to follow from adpl_translator.',
    context: {
      ref: 'scout-20260317-002',
      slug: 'local-llm-inference-pipeline',
      case_number: '020',
    },
  },
]

export const MINIMAL = {
  schema_version: '1.0',
  description: 'Exchange layer for the Hello Pipeline.',
  entries: [
    {
      id: 'de_setup_agent-20260317-001',
      type: 'observation',
      from: 'de_setup_agent',
      to: 'human',
      date: '2026-03-17',
      status: 'noted',
      content:
        'Pipeline Hello Pipeline initialised. PostgreSQL healthy. dbt orders_pipeline built 3 models clean.',
      context: {
        pipeline: 'hello-pipeline',
        services_ok: ['postgresql', 'dbt'],
      },
    },
    {
      id: 'human-20260317-001',
      type: 'order',
      from: 'human',
      to: 'data_freshness_monitor',
      date: '2026-03-17',
      status: 'pending',
      content: "Run a freshness check now — the orders source may not have loaded today's data yet.",
      context: {
        priority: 'high',
      },
    },
    {
      id: 'data_freshness_monitor-20260317-001',
      type: 'acknowledgement',
      from: 'data_freshness_monitor',
      to: 'human',
      date: '2026-03-17',
      status: 'acted',
      content:
        'Freshness check complete. orders source: last updated 2026-03-17T06:12Z — fresh. mart: last updated 2026-03-17T07:01Z — fresh.',
      context: {
        ref: 'human-20260317-001',
      },
    },
  ],
}

/** A pipeline with a log; of the pipeline the text shows three dots. */
export const EMBEDDED = {
  adpl: '1.1',
  pipeline: { goal: 'sample' },
  ahi: {
    log: [
      {
        id: 'setup-agent-20260317-001',
        type: 'observation',
        from: 'de_setup_agent',
        to: 'human',
        date: '2026-03-17',
        status: 'noted',
        content:
          'Pipeline initialised successfully. All 4 services healthy. dbt models built clean. 3 marts populated.',
      },
    ],
  },
}
