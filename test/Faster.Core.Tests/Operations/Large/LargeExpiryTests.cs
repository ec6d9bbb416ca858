using Faster.Contracts;
using Faster.LogSessions;
using Faster.Tests.Engines;
using Faster.Tests.Expiry;
using Faster.Tests.Faults;
using static Faster.Tests.Operations.Large.LargeStore;

namespace Faster.Tests.Operations.Large;

/// <summary>Values of every size with times to live, against a model that knows the time.</summary>
public sealed class LargeExpiryTests
{
    public static TheoryData<LargeEngine> Engines => LargeSubject.Engines;

    [Theory, MemberData(nameof(Engines))]
    public Task Random_operations_give_what_a_model_gives(LargeEngine engine) => Guard.RunAsync(async () =>
    {
        var time = new ManualTime();
        await using LargeSubject store = await LargeSubject.OpenAsync(engine, Options with { TimeProvider = time });
        using HashSession session = store.StartSession();
        var random = new Random(11);
        var model = new ExpiryModel(session, time);
        for (int step = 0; step < 3_000; step++)
        {
            int key = random.Next(12);
            byte[] bytes = Value((int)Math.Pow(20_000, random.NextDouble()), step);
            switch (random.Next(6))
            {
                case 0:
                    time.Advance(random.Next(30));
                    break;
                case 1:
                    model.SetLife(random.Next(3) == 0 ? 0 : random.Next(1, 200));
                    break;
                case 2:
                    model.Put(key, bytes);
                    break;
                case 3 when (model.Live(key)?.Length ?? 0) < 60_000:
                    model.Append(key, bytes);
                    break;
                case 4:
                    await model.PutSequenceAsync(key, bytes);
                    break;
                default:
                    model.Remove(key);
                    break;
            }

            int other = random.Next(12);
            Assert.Equal(model.Live(other), session.GetBytes(other));
        }
    });
}
