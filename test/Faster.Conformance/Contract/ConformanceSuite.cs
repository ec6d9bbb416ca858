using Faster.Conformance.Histories;

namespace Faster.Conformance.Contract;

/// <summary>
/// What all suites share: the engine's shapes as theory data, stores in folders of their own, a guard against
/// hanging.
/// </summary>
/// <typeparam name="TEngine">The engine.</typeparam>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
/// <remarks>An engine runs a suite by a public sealed class that derives from it and is otherwise empty.</remarks>
public abstract class ConformanceSuite<TEngine, TKey, TValue> : IDisposable
    where TEngine : IEngineUnderTest<TKey, TValue>
    where TKey : notnull
{
    private readonly List<string> _folders = [];

    /// <summary>The names of the engine's shapes.</summary>
    public static TheoryData<string> Shapes => [.. TEngine.Shapes.Select(shape => shape.Name)];

    /// <summary>
    /// The names of a few shapes, for suites that depend little on the shape; with a budget of 2 or more, of all.
    /// </summary>
    public static TheoryData<string> FewShapes =>
    [
        .. TEngine.Shapes.Where(static shape => shape.IsTypical || TestBudget.Factor >= 2)
            .Select(static shape => shape.Name),
    ];

    /// <summary>
    /// The names of the shapes whose data leaves memory; of all shapes of an engine that keeps its data there, because
    /// a theory must have a row.
    /// </summary>
    public static TheoryData<string> SpillingShapes =>
    [
        .. TEngine.Shapes.Where(static shape => shape.Spills || !TEngine.Shapes.Any(static other => other.Spills))
            .Select(static shape => shape.Name),
    ];

    /// <summary>Keys, values and inputs by number.</summary>
    protected static Flavor<TKey, TValue> Flavor => TEngine.Flavor;

    /// <summary>Deletes the folders of the stores.</summary>
    public void Dispose()
    {
        foreach (string folder in _folders) Directory.Delete(folder, recursive: true);
        GC.SuppressFinalize(this);
    }

    /// <summary>The shape of a name.</summary>
    protected static EngineShape ShapeOf(string name) => TEngine.Shapes.Single(shape => shape.Name == name);

    /// <summary>Opens a store, runs a test on it on another thread, and disposes of it.</summary>
    /// <param name="shape">The shape's name.</param>
    /// <param name="test">The test.</param>
    /// <param name="expectedKeys">How many keys to prepare for.</param>
    protected async Task WithStore(
        string shape, Func<IStoreUnderTest<TKey, TValue>, Task> test, long expectedKeys = 1_000)
    {
        string folder = NewFolder();
        await Task.Run(async () =>
        {
            await using IStoreUnderTest<TKey, TValue> store =
                await TEngine.OpenAsync(ShapeOf(shape), folder, expectedKeys);
            await test(store);
        });
    }

    /// <summary>An empty folder, which is deleted at the end.</summary>
    protected string NewFolder()
    {
        string folder = Directory.CreateTempSubdirectory("faster-conformance-").FullName;
        _folders.Add(folder);
        return folder;
    }

    /// <summary>Opens a store with one session, and runs a test on it.</summary>
    protected Task WithSession(string shape, Action<ISessionUnderTest<TKey, TValue>> test, long expectedKeys = 1_000) =>
        WithStore(shape, async store =>
        {
            await using ISessionUnderTest<TKey, TValue> session = store.StartSession();
            test(session);
        }, expectedKeys);

    /// <summary>Starts a session for the time of a body.</summary>
    protected static void UseSession(
        IStoreUnderTest<TKey, TValue> store, Action<ISessionUnderTest<TKey, TValue>> body)
    {
        ISessionUnderTest<TKey, TValue> session = store.StartSession();
        body(session);
        session.DisposeAsync().AsTask().GetAwaiter().GetResult();
    }

    /// <summary>
    /// The number of bulky records that make a multiple of the shape's memory for records; a few hundred where data
    /// does not spill.
    /// </summary>
    protected static int BulkyRecords(string shape, double multipleOfBudget)
    {
        EngineShape known = ShapeOf(shape);
        return known.Spills ? (int)(known.RecordMemory.Bytes * multipleOfBudget / Flavor.BulkyRecordSize) : 500;
    }

    /// <summary>
    /// Fills the store with bulky records of fresh keys, by batches, so that older records leave memory.
    /// </summary>
    protected static void Fill(ISessionUnderTest<TKey, TValue> session, long firstKey, int count)
    {
        const int BatchSize = 1_024;
        var keys = new TKey[Math.Min(count, BatchSize)];
        var values = new TValue[keys.Length];
        for (int done = 0; done < count; done += keys.Length)
        {
            int some = Math.Min(keys.Length, count - done);
            for (int i = 0; i < some; i++)
            {
                long key = firstKey + done + i;
                (keys[i], values[i]) = (Flavor.Key(key), Flavor.Bulky(key));
            }

            session.UpsertBatch(keys.AsSpan(0, some), values.AsSpan(0, some));
        }
    }

    /// <summary>Asserts that a read found a value.</summary>
    protected static void AssertFound(TValue expected, ReadResult<TValue> actual, string what)
    {
        ValueModel<TValue> model = Flavor.Model;
        if (actual.Found && model.Equality.Equals(expected, actual.Value)) return;
        string found = actual.Found ? model.Show(actual.Value) : "nothing";
        Assert.Fail($"{what}: expected {model.Show(expected)}, found {found}.");
    }

    /// <summary>Asserts that a read found what a dictionary says.</summary>
    protected static void AssertSame(Dictionary<TKey, TValue> model, TKey key, ReadResult<TValue> actual, string what)
    {
        if (model.TryGetValue(key, out TValue? expected)) AssertFound(expected, actual, what);
        else if (actual.Found) Assert.Fail($"{what}: expected nothing, found {Flavor.Model.Show(actual.Value)}.");
    }

    /// <summary>A dictionary for comparison.</summary>
    protected static Dictionary<TKey, TValue> NewModel() => new(Flavor.KeyEquality);
}
