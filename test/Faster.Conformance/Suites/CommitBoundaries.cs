using Faster.Conformance.Contract;

namespace Faster.Conformance.Suites;

/// <summary>
/// What lies on which side of a commit where that is easy to get wrong: what has left memory or moved since, what was
/// done by a session that has ended, and what a commit has left out.
/// </summary>
/// <typeparam name="TEngine">The engine.</typeparam>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
public abstract class CommitBoundaries<TEngine, TKey, TValue> : DurableSuite<TEngine, TKey, TValue>
    where TEngine : IDurableEngine<TKey, TValue>
    where TKey : notnull
{
    private const int Keys = 60;
    private const long FirstFiller = 1_000_000_000;

    [Theory]
    [MemberData(nameof(CommittingShapes))]
    public Task Writes_after_a_commit_are_not_in_it_although_they_have_left_memory(string shape) => Task.Run(
        async () =>
        {
            await using IStoreUnderTest<TKey, TValue> store = await OpenAsync(shape, NewFolder());
            Dictionary<TKey, TValue> model = await WriteAndAgeAsync(store, shape, round: 0, 0.7);
            Commit first = await store.Durability!.CommitAsync(CommitKind.FoldOver, false);
            UseSession(store, static session => session.UpsertNow(Flavor.Key(Keys), Flavor.Value(Keys)));
            Commit second = await store.Durability!.CommitAsync(CommitKind.FoldOver, true);
            Dictionary<TKey, TValue> later = await WriteAndAgeAsync(store, shape, round: 1, 1.6);
            await CompareAsync(store, first, model, Keys);
            await CompareAsync(store, second, model, Keys);
            _ = await store.CompactAsync();
            CompareNow(store, later, Keys, "now");
        });

    [Theory]
    [MemberData(nameof(DurableShapes))]
    public Task Operations_of_an_ended_session_are_in_the_next_commit(string shape) => Task.Run(async () =>
    {
        string folder = NewFolder();
        Dictionary<TKey, TValue> model = NewModel();
        long done = 0;
        for (int life = 0; life < 3; life++)
        {
            await using IStoreUnderTest<TKey, TValue> store = await OpenAsync(shape, folder);
            CompareNow(store, model, 3, "after a recovery");
            for (int round = 0; round < 4; round++)
            {
                UseNamed(store, 0, named =>
                {
                    Assert.Equal(done, named.Point.SerialNumber);
                    long value = 10_000 + ++done;
                    named.Session.UpsertNow(Flavor.Key(done % 3), Flavor.Value(value));
                    model[Flavor.Key(done % 3)] = Flavor.Value(value);
                });
                Commit commit = await store.Durability!.CommitAsync((CommitKind)(round % 3), false);
                long covered = PointOf(commit, 0).SerialNumber;
                Assert.True(covered == done, $"The commit covers {covered} of {done} operations of a session.");
                await CompareAsync(store, commit, model, 3);
            }
        }
    });

    // Of an engine whose commits wait for what is pending, no number is left out. Where each operation is durable, what
    // a commit leaves out is in the logs.
    [Theory]
    [MemberData(nameof(CommittingShapes))]
    public Task Excluded_operations_are_never_covered_by_a_later_commit(string shape) => Task.Run(async () =>
    {
        string folder = NewFolder();
        List<(TKey Key, TValue Value, bool IsUpdate)> done = [];
        CommitPoint point;
        await using (IStoreUnderTest<TKey, TValue> store = await OpenAsync(shape, folder))
        {
            Task<Commit>? commit = null;
            UseNamed(store, 0, named =>
            {
                for (int key = 0; key < Keys; key++) Do(named, done, Flavor.Key(key), Flavor.Value(key), false);
                UseSession(store, other => Age(other, shape, 1.5));
                for (int key = 0; key < Keys; key++) Do(named, done, Flavor.Key(key), Flavor.Input(key), true);
                commit = store.Durability!.CommitAsync(CommitKind.FoldOver, false);
                commit.Wait(); // the session is idle, with operations pending
            });
            point = PointOf(await commit!, 0);
        }

        for (int life = 0; life < 2; life++)
        {
            await using IStoreUnderTest<TKey, TValue> store = await OpenAsync(shape, folder);
            UseNamed(store, 0, named =>
            {
                AssertSameNumbers(point, named.Point, done.Count);
                Do(named, done, Flavor.Key(Keys + life), Flavor.Value(life), false);
            });
            Commit next = await store.Durability!.CommitAsync(CommitKind.FoldOver, false);
            AssertSameNumbers(point, PointOf(next, 0), done.Count - 1);
            point = PointOf(next, 0);
            Assert.Equal(done.Count, point.SerialNumber);
            Dictionary<TKey, TValue> model = NewModel();
            for (int i = 0; i < done.Count; i++)
            {
                if (!point.Covers(i + 1)) continue;
                (TKey key, TValue value, bool isUpdate) = done[i];
                model[key] = isUpdate && model.TryGetValue(key, out TValue? old)
                    ? Flavor.Model.Update(old, value)
                    : value;
            }

            await CompareAsync(store, next, model, Keys + 2);
        }
    });

    private static async Task<IStoreUnderTest<TKey, TValue>> OpenAsync(string shape, string folder) =>
        await TEngine.OpenAsync(DurableShapeOf(shape), folder, 1_000);

    private static CommitPoint PointOf(Commit commit, int client) =>
        commit.Points.Single(point => point.SessionName == NameOf(client));

    private static void Do(
        NamedSession<TKey, TValue> named, List<(TKey Key, TValue Value, bool IsUpdate)> done, TKey key, TValue value,
        bool isUpdate)
    {
        done.Add((key, value, isUpdate));
        if (isUpdate) _ = named.Session.Rmw(key, value, new PendingTicket<TValue>());
        else named.Session.UpsertNow(key, value);
    }

    private static void AssertSameNumbers(CommitPoint expected, CommitPoint actual, int count)
    {
        for (int number = 1; number <= count; number++)
        {
            Assert.True(
                expected.Covers(number) == actual.Covers(number),
                $"Operation {number} {(expected.Covers(number) ? "was" : "was not")} covered, and now otherwise.");
        }
    }

    // Of each key several records, deletions too, leave memory, and move where an engine moves them.
    private static async Task<Dictionary<TKey, TValue>> WriteAndAgeAsync(
        IStoreUnderTest<TKey, TValue> store, string shape, int round, double multipleOfMemory)
    {
        Dictionary<TKey, TValue> model = NewModel();
        for (int times = 0; times < 3; times++)
        {
            UseSession(store, session =>
            {
                for (int key = 0; key < Keys; key++)
                {
                    if (times == 2 && key % 3 == round)
                    {
                        _ = session.DeleteNow(Flavor.Key(key));
                        _ = model.Remove(Flavor.Key(key));
                        continue;
                    }

                    model[Flavor.Key(key)] = Flavor.Value((((round * 10) + times) * 1_000) + key);
                    session.UpsertNow(Flavor.Key(key), model[Flavor.Key(key)]);
                }
            });
            // What has been scanned is immutable: it is written anew, not in place.
            await foreach (var _ in store.Scans!.ScanAsync(new ScanOptions())) break;
        }

        UseSession(store, session => Age(session, shape, multipleOfMemory));
        return model;
    }

    private static void Age(ISessionUnderTest<TKey, TValue> session, string shape, double multipleOfMemory) => Fill(
        session, FirstFiller,
        (int)(multipleOfMemory * DurableShapeOf(shape).RecordMemory.Bytes / Flavor.BulkyRecordSize));

    private static async Task CompareAsync(
        IStoreUnderTest<TKey, TValue> store, Commit commit, Dictionary<TKey, TValue> model, int keys)
    {
        Dictionary<TKey, TValue> found = NewModel();
        await foreach ((TKey key, TValue value) in store.Scans!.ScanAsync(new ScanOptions { AsOf = commit }))
            found.Add(key, value);
        for (int i = 0; i < keys; i++)
        {
            bool exists = found.TryGetValue(Flavor.Key(i), out TValue? value);
            AssertSame(model, Flavor.Key(i), new(exists, value!), $"key {i} as of commit {commit.Version}");
        }
    }

    private static void CompareNow(
        IStoreUnderTest<TKey, TValue> store, Dictionary<TKey, TValue> model, int keys, string when)
    {
        UseSession(store, session =>
        {
            for (int i = 0; i < keys; i++)
                AssertSame(model, Flavor.Key(i), session.ReadNow(Flavor.Key(i)), $"key {i} {when}");
        });
    }
}
