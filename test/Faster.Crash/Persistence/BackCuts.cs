using Faster.Crash.Disk;

namespace Faster.Crash.Persistence;

/// <summary>Lives of Bullet's back, each of which begins with what a power cut in the one before has left.</summary>
internal static class BackCuts
{
    private const int Bytes = 256 << 10, Growth = 64 << 10, Lives = 4, CutsEachStep = 3, MaxSteps = 12;

    /// <summary>
    /// Cuts the power at each fence, and between, also while the back is made and recovered. A life begins with what a
    /// power cut has left, or the kill of a process: then what that has stored may not be durable.
    /// </summary>
    /// <param name="seed">Chooses the steps and the cuts.</param>
    /// <param name="states">Counts the states that were judged.</param>
    /// <returns>What is wrong, or null.</returns>
    public static string? OnMemory(int seed, ref int states)
    {
        var (random, model, judged, isKilled) = (new Random(seed), new BackModel(), 0, false);
        var region = new CrashRegion(new byte[Bytes]);
        string? failure = null;
        for (int life = 1; life <= Lives && failure is null; life++)
        {
            int steps = 0;
            (CrashRegion? Region, BackModel Model, bool IsKilled) next = (null, model, false);
            using (var workload = new BackWorkload(region, model, random, life, Cut))
            {
                if (isKilled) failure ??= model.Judge(region.Cut(1), decides: true);
                workload.Run(random.Next(MaxSteps));
            }

            Cut();
            region.Dispose();
            (region, model, isKilled) = (next.Region!, next.Model, next.IsKilled);
            if (!isKilled) failure ??= model.Judge(region.Cut(1), decides: true);

            void Cut()
            {
                for (int i = 0; i < CutsEachStep && failure is null; i++, judged++)
                    failure = model.Judge(region.Cut(i < 2 ? i : random.Next()));
                if (random.Next(++steps) != 0) return; // each step is drawn with the same probability
                next.Region?.Dispose();
                bool isKill = random.Next(3) == 0;
                next = (isKill ? region.Kill() : AfterCut(region, random), model.Copy(), isKill);
            }
        }

        region.Dispose();
        states += judged;
        return failure;
    }

    private static CrashRegion AfterCut(CrashRegion region, Random random)
    {
        byte[] image = region.Cut(random.Next());
        return new CrashRegion(random.Next(4) == 0 ? [.. image, .. new byte[Growth]] : image);
    }
}
