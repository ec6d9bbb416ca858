using Faster.Conformance.Contract;

namespace Faster.Conformance.Suites;

/// <summary>What suites of durability share: a store that is closed without a commit, and opened again.</summary>
/// <typeparam name="TEngine">The engine.</typeparam>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
public abstract class DurableSuite<TEngine, TKey, TValue> : ConformanceSuite<TEngine, TKey, TValue>
    where TEngine : IDurableEngine<TKey, TValue>
    where TKey : notnull
{
    /// <summary>The number of sessions that commits know.</summary>
    protected const int Clients = 3;

    /// <summary>How often the store is closed.</summary>
    protected const int Lives = 2;

    /// <summary>The names of the shapes that are opened again.</summary>
    public static TheoryData<string> DurableShapes => [.. TEngine.DurableShapes.Select(static shape => shape.Name)];

    /// <summary>The names of those that commit only when they are asked to.</summary>
    public static TheoryData<string> CommittingShapes =>
        [.. TEngine.DurableShapes.Where(static shape => !shape.IsEachDurable).Select(static shape => shape.Name)];

    /// <summary>The shape of a name.</summary>
    protected static EngineShape DurableShapeOf(string name) =>
        TEngine.DurableShapes.Single(shape => shape.Name == name);

    /// <summary>The name of a client's session.</summary>
    protected static string NameOf(int client) => $"client-{client}";

    /// <summary>The random numbers of one step of a client: they follow from the arguments alone.</summary>
    protected static Random DrawsOf(int seed, int client, long number) =>
        new(unchecked((((seed * 31) + client) * 1_000_003) + (int)number));

    /// <summary>
    /// Opens a store, lets clients and one that commits run beside each other, closes it, and does so again; at last it
    /// is opened once more.
    /// </summary>
    /// <param name="shape">The shape's name.</param>
    /// <param name="expectedKeys">How many keys to prepare for.</param>
    /// <param name="begin">Checks what was opened, in each life and at last.</param>
    /// <param name="work">What a client does.</param>
    /// <param name="commit">What the one does that commits.</param>
    private protected Task LiveAsync(
        string shape, long expectedKeys, Func<IStoreUnderTest<TKey, TValue>, int, Task> begin,
        Action<IStoreUnderTest<TKey, TValue>, int, Rendezvous> work,
        Func<IStoreUnderTest<TKey, TValue>, int, Rendezvous, Task> commit) => Task.Run(async () =>
        {
            string folder = NewFolder();
            for (int life = 0; life <= Lives; life++)
            {
                await using IStoreUnderTest<TKey, TValue> store =
                    await TEngine.OpenAsync(DurableShapeOf(shape), folder, expectedKeys);
                await begin(store, life);
                if (life == Lives) break;
                var rendezvous = new Rendezvous(Clients + 1);
                Workers.Run(Clients + 1, worker =>
                {
                    try
                    {
                        if (worker == Clients) commit(store, life, rendezvous).GetAwaiter().GetResult();
                        else work(store, worker, rendezvous);
                    }
                    catch
                    {
                        rendezvous.GiveUp();
                        throw;
                    }
                });
            }
        });

    /// <summary>Runs a body with a session that commits know.</summary>
    protected static void UseNamed(
        IStoreUnderTest<TKey, TValue> store, int client, Action<NamedSession<TKey, TValue>> body)
    {
        NamedSession<TKey, TValue> named = store.Durability!.Continue(NameOf(client));
        body(named);
        named.Session.DisposeAsync().AsTask().GetAwaiter().GetResult();
    }
}
