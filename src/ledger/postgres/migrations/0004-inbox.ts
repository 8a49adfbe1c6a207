// The step that gives everybody an inbox. It is made from the stories as they stand: those asked at the opening, those whom a
// ladder has added, and those to whom a request was handed on.
export const inbox = `
  -- Whose a request is: over_seq is null while it waits for them, else where it was settled or handed on.
  CREATE TABLE inbox (
    opened_seq bigint NOT NULL, user_id text NOT NULL, deadline_ms bigint NOT NULL, type text NOT NULL,
    urgency text NOT NULL, over_seq bigint, PRIMARY KEY (opened_seq, user_id)
  );
  INSERT INTO inbox (opened_seq, user_id, deadline_ms, type, urgency)
    SELECT q.opened_seq, r ->> 'user_id',
      (1000 * extract(epoch FROM (e.line::json #>> '{body,deadline_at}')::timestamptz))::bigint, q.type,
      coalesce(e.line::json #>> '{body,terms,urgency}', 'normal')
    FROM requests q JOIN entries e ON e.seq = q.opened_seq, json_array_elements(e.line::json #> '{body,recipients}') r
    ON CONFLICT DO NOTHING;
  INSERT INTO inbox (opened_seq, user_id, deadline_ms, type, urgency)
    SELECT i.opened_seq, r, i.deadline_ms, i.type, i.urgency
    FROM entries e JOIN inbox i ON i.opened_seq = e.story,
      json_array_elements_text(CASE e.type WHEN 'REQUEST_DELEGATED' THEN json_build_array(e.line::json #>> '{body,to}')
        ELSE e.line::json #> '{body,to}' END) r
    WHERE e.type = 'REQUEST_DELEGATED' OR (e.type = 'REQUEST_ESCALATED' AND e.line::json #>> '{body,do}' = 'add')
    ON CONFLICT DO NOTHING;
  UPDATE inbox i SET over_seq = coalesce(
    (SELECT CASE WHEN e.line::json #>> '{body,from}' = i.user_id THEN e.seq END FROM entries e
      WHERE e.story = i.opened_seq AND e.type = 'REQUEST_DELEGATED'
        AND i.user_id IN (e.line::json #>> '{body,from}', e.line::json #>> '{body,to}') ORDER BY e.seq DESC LIMIT 1),
    (SELECT resolved_seq FROM requests q WHERE q.opened_seq = i.opened_seq));
  CREATE INDEX inbox_waiting ON inbox (user_id, deadline_ms, opened_seq) WHERE over_seq IS NULL;
  CREATE INDEX inbox_past ON inbox (user_id, over_seq) WHERE over_seq IS NOT NULL;
`
