using Faster.Conformance.Contract;

namespace Faster.Conformance.Suites;

/// <summary>
/// Where each operation is durable, all that was acknowledged, in whichever form, is in a copy of the folder that is
/// taken at once: once, and its session goes on behind it. So it is while commits free the logs, and after.
/// </summary>
/// <typeparam name="TEngine">The engine.</typeparam>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
public abstract class AcknowledgedIsDurable<TEngine, TKey, TValue> : DurableSuite<TEngine, TKey, TValue>
    where TEngine : IEachDurableEngine<TKey, TValue>
    where TKey : notnull
{
    private const int Keys = 40, Width = 12, Rounds = 4, StepsOfRound = 120;
    private const long NumbersApart = 1_000_000;

    /// <summary>The names of the shapes whose every operation is durable.</summary>
    public static TheoryData<string> EachDurableShapes =>
        [.. TEngine.DurableShapes.Where(static shape => shape.IsEachDurable).Select(static shape => shape.Name)];

    [Theory]
    [MemberData(nameof(EachDurableShapes))]
    public Task Acknowledged_operations_are_there_after_a_kill(string shape) =>
        Seeded.RunAsync(1, seed => Task.Run(() => new Run(this, shape, seed).PlayAsync()));

    /// <summary>The store of one seed.</summary>
    private sealed class Run(AcknowledgedIsDurable<TEngine, TKey, TValue> suite, string shape, int seed)
    {
        private readonly long[] _acknowledged = new long[Clients]; // of each client, the last number
        private readonly int[] _stepOf = new int[Clients];

        public async Task PlayAsync()
        {
            string folder = suite.NewFolder();
            await using IStoreUnderTest<TKey, TValue> store =
                await TEngine.OpenAsync(DurableShapeOf(shape), folder, 1_000);
            long first = store.Durability!.Scannable()[^1].Version;
            NamedSession<TKey, TValue>[] clients =
                [.. Enumerable.Range(0, Clients).Select(client => store.Durability.Continue(NameOf(client)))];
            for (int round = 0; round < Rounds; round++)
            {
                Workers.Run(Clients, client => Work(clients[client], client));
                await CheckCopyAsync(folder);
            }

            Assert.True(store.Durability.Scannable()[^1].Version > first + 1, "The logs were hardly freed.");
            _ = await store.Durability.CommitAsync(CommitKind.FoldOver, true);
            await CheckCopyAsync(folder);
            foreach (NamedSession<TKey, TValue> client in clients) await client.Session.DisposeAsync();
        }

        private void Work(NamedSession<TKey, TValue> named, int client)
        {
            for (int i = 0; i < StepsOfRound; i++)
            {
                Step step = StepOf(client, _stepOf[client]++);
                Do(named, step, _acknowledged[client] + 1).GetAwaiter().GetResult();
                _acknowledged[client] += step.Numbers;
            }
        }

        private static async Task Do(NamedSession<TKey, TValue> named, Step step, long number)
        {
            ISessionUnderTest<TKey, TValue> session = named.Session;
            switch (step.Form)
            {
                case Form.Status:
                    if (step.Kind == StepKind.Put) session.UpsertNow(step.Keys[0], step.Values[0]);
                    else if (step.Kind == StepKind.Update) session.RmwNow(step.Keys[0], step.Values[0]);
                    else _ = session.DeleteNow(step.Keys[0]);
                    break;
                case Form.Awaited:
                    Task[] tasks = [.. step.Keys.Select((key, i) => Start(session, step.Kind, key, step.Values[i]))];
                    await Task.WhenAll(tasks);
                    break;
                default:
                    using (CommitUnit unit = step.Form == Form.Unit ? named.BeginUnit(number) : default)
                    {
                        if (step.Kind == StepKind.Put) session.UpsertBatch(step.Keys, step.Values);
                        else if (step.Kind == StepKind.Update) session.RmwBatch(step.Keys, step.Values);
                        else session.DeleteBatch(step.Keys);
                        unit.Complete();
                    }

                    break;
            }
        }

        private static Task Start(ISessionUnderTest<TKey, TValue> session, StepKind kind, TKey key, TValue value) =>
            kind switch
            {
                StepKind.Put => session.UpsertAsync(key, value).AsTask(),
                StepKind.Update => session.RmwAsync(key, value).AsTask(),
                _ => session.DeleteAsync(key).AsTask(),
            };

        // Opens what a process would find that is started after this one is killed, twice: what the first one does with
        // its sessions is there, too.
        private async Task CheckCopyAsync(string folder)
        {
            string copy = FolderCopy.AtOneMoment(folder, suite.NewFolder);
            for (int more = 0; more < 2; more++)
            {
                await using IStoreUnderTest<TKey, TValue> store =
                    await TEngine.OpenAsync(DurableShapeOf(shape), copy, 1_000);
                for (int client = 0; client < Clients; client++)
                {
                    Check(store, client, more);
                    UseNamed(store, client, named =>
                    {
                        Assert.Equal(_acknowledged[client] + more, named.Point.SerialNumber);
                        Assert.Empty(named.Point.Excluded);
                        named.Session.RmwNow(Extra(client), Flavor.Input(1));
                    });
                }
            }
        }

        private void Check(IStoreUnderTest<TKey, TValue> store, int client, int more)
        {
            Dictionary<TKey, TValue> model = NewModel();
            for (int step = 0; step < _stepOf[client]; step++) StepOf(client, step).ApplyTo(model);
            TKey[] keys = [.. Enumerable.Range(0, Keys).Select(key => KeyOf(client, key)), Extra(client)];
            if (more != 0) model[Extra(client)] = Flavor.Input(1);
            var found = new ReadResult<TValue>[keys.Length];
            UseSession(store, session => session.ReadBatch(keys, found));
            for (int i = 0; i < keys.Length; i++)
                AssertSame(model, keys[i], found[i], $"key {i} of client {client} after a kill");
        }

        private Step StepOf(int client, int number)
        {
            Random draws = DrawsOf(seed, client, number);
            var form = (Form)draws.Next((int)Form.Unit + 1);
            var kind = (StepKind)draws.Next((int)StepKind.Delete + 1);
            int count = form == Form.Status ? 1 : Width, first = draws.Next(Keys);
            bool isBulky = draws.Next(4) == 0;
            long NumberAt(int i) => (client * NumbersApart) + (number * Width) + i;
            TValue ValueAt(int i) => kind == StepKind.Update
                ? Flavor.Input(NumberAt(i))
                : isBulky ? Flavor.Bulky(NumberAt(i)) : Flavor.Value(NumberAt(i));
            return new Step(
                form, kind, [.. Enumerable.Range(first, count).Select(key => KeyOf(client, key % Keys))],
                [.. Enumerable.Range(0, count).Select(ValueAt)]);
        }

        private static TKey KeyOf(int client, int key) => Flavor.Key((client * NumbersApart) + key);

        private static TKey Extra(int client) => KeyOf(client, Keys);
    }

    private enum Form
    {
        Status,
        Awaited,
        Batch,
        Unit,
    }

    private enum StepKind
    {
        Put,
        Update,
        Delete,
    }

    private sealed record Step(Form Form, StepKind Kind, TKey[] Keys, TValue[] Values)
    {
        /// <summary>How many numbers of its session it takes.</summary>
        public int Numbers => Form == Form.Unit ? 1 : Keys.Length;

        public void ApplyTo(Dictionary<TKey, TValue> model)
        {
            for (int i = 0; i < Keys.Length; i++)
            {
                bool isUpdate = Kind == StepKind.Update;
                if (Kind == StepKind.Delete) model.Remove(Keys[i]);
                else if (isUpdate && model.TryGetValue(Keys[i], out TValue? old))
                    model[Keys[i]] = Flavor.Model.Update(old, Values[i]);
                else model[Keys[i]] = Values[i];
            }
        }
    }
}
