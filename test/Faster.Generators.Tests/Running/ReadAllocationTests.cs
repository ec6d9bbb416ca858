using Faster.Generators.Tests.Fakes;

namespace Faster.Generators.Tests.Running;

public class ReadAllocationTests
{
    [Theory]
    [InlineData("FasterEngine")]
    [InlineData("TieredEngine")]
    [InlineData("HotRingEngine")]
    public async Task A_read_makes_its_string_and_a_reader_of_bytes_makes_nothing(string engine)
    {
        string[] log = await Harness.RunAsync($$"""
            [Store(Engine = typeof({{engine}}), Key = typeof(string), Value = typeof(string))]
            public static partial class Texts;

            [Store(Engine = typeof({{engine}}), Value = typeof(string))]
            public static partial class Flags
            {
                [SingleReader, ConcurrentReader]
                static void Has(string flag, ReadOnlySpan<byte> word, ReadOnlySpan<byte> value, out bool isThere) =>
                    isThere = value.IndexOf(word) >= 0;
            }

            public static class Program
            {
                public static async Task Run(List<string> log)
                {
                    string value = new string('x', 1000) + "eu";
                    await using Texts.Store texts = await Texts.OpenAsync(null);
                    await using Texts.Session text = texts.StartSession();
                    await using Flags.Store flags = await Flags.OpenAsync(null);
                    await using Flags.Session flag = flags.StartSession();
                    await text.UpsertAsync("a", value);
                    await flag.UpsertAsync("a", value);
                    long made = Bytes(() => text.Read("a", out string? all) == Status.Ok && all!.Length == 1002);
                    long none = Bytes(() => flag.Read("a", "eu"u8, out bool isThere) == Status.Ok && isThere);
                    log.Add($"{made / 100}, {none}");
                }

                // Of the hundred reads after the first hundred.
                private static long Bytes(Func<bool> read)
                {
                    long before = 0;
                    for (int i = 0; i < 200; i++)
                    {
                        if (i == 100) before = GC.GetAllocatedBytesForCurrentThread();
                        if (!read()) throw new InvalidOperationException();
                    }

                    return GC.GetAllocatedBytesForCurrentThread() - before;
                }
            }
            """);
        Assert.Equal(["2032, 0"], log); // 22 bytes of a string's frame, rounded up, and two for each character
    }
}
