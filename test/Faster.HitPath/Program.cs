using Faster;
using Faster.HitPath;

await using Sums.Store store = await Sums.OpenAsync(null, new StoreOptions());
using Sums.Session session = store.StartSession();
long sum = 0;
for (long key = 1; key <= 8; key++)
{
    bool done = Roots.Upsert(session, key, key) == Status.Ok
        && Roots.Rmw(session, key, key) == Status.Ok
        && Roots.Read(session, key, out long value) == Status.Ok
        && value == 2 * key;
    if (!done)
        return 1;
    sum += Controls.ExerciseAll(key);
}

return sum > 0 ? 0 : 1;
