using Faster.Conformance.Contract;

namespace Faster.Conformance.Suites;

/// <summary>Values of bytes grow and shrink, in place and by copies, and keys of all lengths are kept apart.</summary>
/// <typeparam name="TEngine">The engine.</typeparam>
public abstract class VariableLengthValues<TEngine> : ConformanceSuite<TEngine, byte[], byte[]>
    where TEngine : IEngineUnderTest<byte[], byte[]>
{
    private const int MaxLength = 20_000; // several pages of the smallest size

    [Theory]
    [MemberData(nameof(Shapes))]
    public Task Values_grow_and_shrink(string shape) => Seeded.RunAsync(3, seed => WithSession(shape, session =>
    {
        var random = new Random(seed);
        Dictionary<byte[], byte[]> model = NewModel();
        for (int step = 0; step < 2_000; step++)
        {
            byte[] key = Flavor.Key(random.Next(40));
            // Small sizes are as frequent as large ones.
            byte[] bytes = Bytes(random, (int)Math.Pow(MaxLength, random.NextDouble()) - 1);
            if (random.Next(2) == 0) session.UpsertNow(key, model[key] = bytes);
            else Append(session, model, key, bytes[..Math.Min(bytes.Length, TEngine.MaxInputBytes)]);
            AssertSame(model, key, session.ReadNow(key), $"step {step}");
        }

        foreach (byte[] key in model.Keys) AssertSame(model, key, session.ReadNow(key), "at the end");
    }));

    [Theory]
    [MemberData(nameof(Shapes))]
    public Task An_empty_value_is_not_an_absent_one(string shape) => WithSession(shape, session =>
    {
        session.UpsertNow(Flavor.Key(1), []);
        AssertFound([], session.ReadNow(Flavor.Key(1)), "empty");
        session.RmwNow(Flavor.Key(1), [7]);
        AssertFound([7], session.ReadNow(Flavor.Key(1)), "grown");
        session.UpsertNow(Flavor.Key(1), []);
        AssertFound([], session.ReadNow(Flavor.Key(1)), "empty again");
        session.RmwNow(Flavor.Key(2), []);
        AssertFound([], session.ReadNow(Flavor.Key(2)), "created empty");
    });

    [Theory]
    [MemberData(nameof(Shapes))]
    public Task Keys_that_begin_alike_are_kept_apart(string shape) => WithSession(shape, session =>
    {
        // 1 to 600 bytes of zeros, alone and with another last byte: lengths and padding must count.
        for (int length = 1; length <= 600; length++)
        {
            session.UpsertNow(new byte[length], BitConverter.GetBytes(length));
            session.UpsertNow([.. new byte[length - 1], 1], BitConverter.GetBytes(-length));
        }

        for (int length = 1; length <= 600; length++)
        {
            AssertFound(BitConverter.GetBytes(length), session.ReadNow(new byte[length]), $"{length} zeros");
            byte[] other = [.. new byte[length - 1], 1];
            AssertFound(BitConverter.GetBytes(-length), session.ReadNow(other), $"{length} bytes, the last a one");
        }
    });

    private static void Append(
        ISessionUnderTest<byte[], byte[]> session, Dictionary<byte[], byte[]> model, byte[] key, byte[] bytes)
    {
        byte[] old = model.GetValueOrDefault(key, []);
        if (old.Length + bytes.Length > MaxLength)
        {
            model.Remove(key);
            _ = session.DeleteNow(key);
            return;
        }

        model[key] = [.. old, .. bytes];
        session.RmwNow(key, bytes);
    }

    private static byte[] Bytes(Random random, int length)
    {
        var bytes = new byte[length];
        random.NextBytes(bytes);
        return bytes;
    }
}
