using Faster.Contracts;
using Faster.Sessions;
using Faster.Tests.Faults;
using Faster.Tests.Store.Expiry;
using static Faster.Tests.Store.Large.LargeStore;

namespace Faster.Tests.Store.Large;

/// <summary>Values of every size with times to live, against a model that knows the time.</summary>
public sealed class LargeExpiryTests
{
    public static TheoryData<LargeEngine> Engines => LargeSubject.Engines;

    [Theory, MemberData(nameof(Engines))]
    public Task Random_operations_give_what_a_model_gives(LargeEngine engine) => Guard.RunAsync(async () =>
    {
        var time = new ManualTime();
        await using LargeSubject store = await LargeSubject.OpenAsync(engine, Options with { TimeProvider = time });
        using HashSession<NoProbe> session = store.StartSession();
        var random = new Random(11);
        var model = new Dictionary<int, (byte[] Value, long Expiry)>();
        long life = 0;
        byte[]? Live(int key) =>
            model.TryGetValue(key, out (byte[] Value, long Expiry) state) && state.Expiry > time.Now
                ? state.Value
                : null;

        for (int step = 0; step < 3_000; step++)
        {
            int key = random.Next(12);
            byte[] bytes = Value((int)Math.Pow(20_000, random.NextDouble()), step), old = Live(key) ?? [];
            long renewed = life == 0 ? long.MaxValue : time.Now + life;
            switch (random.Next(6))
            {
                case 0:
                    time.Advance(random.Next(30));
                    break;
                case 1:
                    life = random.Next(3) == 0 ? 0 : random.Next(1, 200);
                    session.TimeToLive = TimeSpan.FromMilliseconds(life);
                    break;
                case 2:
                    session.PutBytes(key, bytes);
                    model[key] = (bytes, renewed);
                    break;
                case 3 when old.Length < 60_000:
                    long kept = Live(key) is null ? long.MaxValue : model[key].Expiry;
                    session.Append(key, bytes);
                    model[key] = ([.. old, .. bytes], life == 0 ? kept : renewed);
                    break;
                case 4:
                    Assert.Equal(Status.Ok, await session.PutAsync(key, new(bytes)));
                    model[key] = (bytes, renewed);
                    break;
                default:
                    _ = session.RemoveBytes(key);
                    model.Remove(key);
                    break;
            }

            int other = random.Next(12);
            Assert.Equal(Live(other), session.GetBytes(other));
        }
    });
}
