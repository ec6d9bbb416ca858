using Xunit.Abstractions;

namespace Faster.Tests.Fuzzing;

/// <summary>
/// Feeds mutated inputs to a reader of a format, which takes each or refuses it by the documented error: anything else
/// fails the test, and names the seed.
/// </summary>
internal static class Fuzz
{
    // One input in so many is taken, and one refused: the least share was one in 21, which a thousand don't miss by
    // chance. Fewer tell nothing.
    private const int MinShare = 100, MinInputs = 500;

    /// <summary>Runs one input a seed.</summary>
    /// <param name="inputs">How many by default.</param>
    /// <param name="output">Hears how many were taken and refused.</param>
    /// <param name="read">Makes an input, and reads it; throws the documented error.</param>
    /// <param name="isRefused">Whether an error is the documented one: by default damage alone.</param>
    public static Task RunAsync(
        int inputs, ITestOutputHelper output, Func<Random, Task> read, Func<Exception, bool>? isRefused = null) =>
        Faults.Guard.RunAsync(async () =>
        {
            isRefused ??= static error => error is DamagedDataException;
            int taken = 0, refused = 0;
            await TestSeed.RunAsync(inputs, async seed =>
            {
                try
                {
                    await read(new Random(seed));
                    taken++;
                }
                catch (Exception error) when (isRefused(error))
                {
                    refused++;
                }
            });
            output.WriteLine($"{taken} taken, {refused} refused, first {TestSeed.Text(TestSeed.First)}");
            int all = taken + refused;
            if (all < MinInputs) return;
            Assert.True(
                taken > all / MinShare && refused > all / MinShare,
                $"Of {all} inputs {taken} were taken and {refused} refused: little is shown.");
        });

    /// <summary>Runs one input a seed, of a reader that does not wait.</summary>
    public static Task RunAsync(int inputs, ITestOutputHelper output, Action<Random> read) =>
        RunAsync(inputs, output, random =>
        {
            read(random);
            return Task.CompletedTask;
        });
}
