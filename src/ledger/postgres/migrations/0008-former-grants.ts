// Grants are looked for by their person only where they are from before handles had a use.
export const formerGrants = `
  DROP INDEX grants_by_person;
  CREATE INDEX former_grants ON grants (user_id, channel, place) WHERE use IS NULL;
`
