using Faster.HitPath;

// Everything once and again, so that static constructors have run before the roots are compiled.
var session = new Sums.Session();
long sum = 0;
for (long key = 1; key <= 8; key++)
{
    bool done = Roots.Upsert(session, key, key) == Faster.Status.Ok
        && Roots.Rmw(session, key, key) == Faster.Status.Ok
        && Roots.Read(session, key, out long value) == Faster.Status.Ok
        && value == 2 * key;
    if (!done)
        return 1;
    sum += ExerciseControls(key);
}

return sum > 0 ? 0 : 1;

static unsafe long ExerciseControls(long seed)
{
    Func<long, long> function = x => x + seed;
    return Controls.Virtual(seed)!.Length + Controls.Interface(seed, 0) + Controls.Delegate(function, seed)
        + Controls.Pointer(&Controls.Negate, seed) + Controls.Nested(seed) + Controls.Allocation().GetHashCode();
}
