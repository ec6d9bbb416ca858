using Faster.Conformance.Contract;

namespace Faster.Conformance.Suites;

/// <summary>
/// Units of upserts, updates and deletions by several threads, while the store commits, until a client leaves one
/// half-way: from then on every commit is refused, whoever asks for it, and a recovery has of each session exactly the
/// units up to its point.
/// </summary>
/// <typeparam name="TEngine">The engine.</typeparam>
public abstract class MixedUnits<TEngine> : DurableSuite<TEngine, long, long>
    where TEngine : IDurableEngine<long, long>
{
    private const int Own = 5_000, Shared = 200, CommitsOfALife = 5;

    [Theory]
    [MemberData(nameof(DurableShapes))]
    public Task A_unit_is_in_a_commit_as_a_whole_or_not_at_all(string shape) => Seeded.RunAsync(1, seed => Task.Run(
        async () =>
        {
            string folder = NewFolder();
            var points = new long[Clients];
            for (int life = 0; life <= Lives; life++)
            {
                await using IStoreUnderTest<long, long> store =
                    await TEngine.OpenAsync(DurableShapeOf(shape), folder, Clients * Own);
                Check(store, shape, seed, points);
                if (life < Lives) new Life(store, shape, seed, failing: life % Clients).Run();
            }

            Assert.All(points, static point => Assert.True(point > 0, "A session is in no commit."));
        }));

    private static void Check(IStoreUnderTest<long, long> store, string shape, int seed, long[] points)
    {
        var model = new Dictionary<long, long>();
        for (int client = 0; client < Clients; client++)
        {
            UseNamed(store, client, named =>
            {
                Assert.True(named.Point.SerialNumber >= points[client], $"Client {client} was thrown back.");
                points[client] = named.Point.SerialNumber;
                for (long number = 1; number <= points[client]; number++)
                    new Step(shape, seed, client, number).ApplyTo(model);
            });
        }

        UseSession(store, reader =>
        {
            for (long key = 0; key < Shared + (Clients * Own); key++)
            {
                ReadResult<long> found = reader.ReadNow(key);
                bool isThere = model.TryGetValue(key, out long expected);
                Assert.True(
                    found.Found == isThere && (!isThere || found.Value == expected),
                    $"Key {key} has {found}, not {(isThere ? expected : "nothing")}: a unit was torn.");
            }
        });
    }

    /// <summary>The operations of one unit: they follow from its number.</summary>
    private readonly struct Step(string shape, int seed, int client, long number)
    {
        private const int Width = 12;

        private bool Shares => DurableShapeOf(shape) is { IsEachDurable: false } or { HoldsUpAfterUnits: true };

        private long First => Shared + (client * Own);

        public void ApplyTo(Dictionary<long, long> model)
        {
            Random draws = DrawsOf(seed, client, number);
            for (int i = 0; i < Width; i++)
            {
                (long own, long other, long shared) = Draw(draws);
                model[own] = number;
                model.Remove(other);
                if (Shares) model[shared] = model.GetValueOrDefault(shared) + number;
            }

            foreach (long key in Batched) model[key] = model.GetValueOrDefault(key) + 1;
        }

        public void ApplyTo(ISessionUnderTest<long, long> session, int? endsAfter = null)
        {
            Random draws = DrawsOf(seed, client, number);
            for (int i = 0; i < Width; i++)
            {
                if (i == endsAfter) throw new InvalidOperationException("The client leaves its unit.");
                (long own, long other, long shared) = Draw(draws);
                session.UpsertNow(own, number);
                _ = session.DeleteNow(other);
                if (Shares) session.RmwNow(shared, number);
            }

            long[] keys = [.. Batched];
            session.RmwBatch(keys, [.. keys.Select(static _ => 1L)]);
        }

        private IEnumerable<long> Batched
        {
            get
            {
                long first = First + (number % (Own / 2));
                return Enumerable.Range(0, Width).Select(i => first + i);
            }
        }

        private (long Own, long Other, long Shared) Draw(Random draws) =>
            (First + draws.Next(Own), First + draws.Next(Own), draws.Next(Shared));
    }

    private sealed class Life(IStoreUnderTest<long, long> store, string shape, int seed, int failing)
    {
        private int _commits;
        private volatile bool _isRefused;

        public void Run() => Workers.Run(Clients + 1, worker =>
        {
            if (worker == Clients) Commit();
            else Work(worker);
        });

        // Until a commit is refused.
        private void Commit()
        {
            try
            {
                for (;; Interlocked.Increment(ref _commits))
                {
                    CommitKind kind = (CommitKind)(_commits % 3);
                    store.Durability!.CommitAsync(kind, _commits % 4 == 0).GetAwaiter().GetResult();
                }
            }
            catch (FasterException refused)
            {
                Assert.Equal(ErrorReason.UnitFailed, refused.Reason);
                Assert.Contains(NameOf(failing), refused.Message, StringComparison.Ordinal);
            }
            finally
            {
                _isRefused = true;
            }

            var again = Assert.Throws<FasterException>(
                () => { store.Durability!.CommitAsync(CommitKind.FoldOver, false).GetAwaiter().GetResult(); });
            Assert.Equal(ErrorReason.UnitFailed, again.Reason);
        }

        private void Work(int client)
        {
            NamedSession<long, long> named = store.Durability!.Continue(NameOf(client));
            try
            {
                for (long number = named.Point.SerialNumber + 1; !_isRefused; number++)
                {
                    bool fails = client == failing && Volatile.Read(ref _commits) >= CommitsOfALife;
                    using CommitUnit unit = named.BeginUnit(number);
                    new Step(shape, seed, client, number).ApplyTo(named.Session, fails ? 3 : null);
                    unit.Complete();
                }
            }
            catch (InvalidOperationException) when (client == failing)
            {
                var refused = Assert.Throws<FasterException>(() => named.Session.UpsertNow(0, 0));
                Assert.Equal(ErrorReason.UnitFailed, refused.Reason);
            }
            catch (FasterException unacknowledged) when (unacknowledged.Reason == ErrorReason.UnitFailed)
            {
                // What was done behind the unit that has failed may have been built on it.
            }
            catch (StorageException poisoned)
            {
                Assert.False(poisoned.MayRetry); // a commit was refused: nothing more can become durable
            }

            named.Session.DisposeAsync().AsTask().GetAwaiter().GetResult();
        }
    }
}
