namespace Faster.Workload.Experiments;

/// <summary>The samples of a run, at least two, in order of time. Immutable.</summary>
internal sealed class Timeline(IReadOnlyList<Sample> samples)
{
    /// <summary>The samples.</summary>
    public IReadOnlyList<Sample> Samples { get; } = samples;

    /// <summary>
    /// The first sample, and after it the first of every further <paramref name="bin"/> seconds, and the last one.
    /// </summary>
    public IReadOnlyList<Sample> EachBin(double bin)
    {
        List<Sample> ends = [Samples[0]];
        double next = bin;
        foreach (Sample sample in Samples.Skip(1))
        {
            if (sample.Seconds < next) continue;
            ends.Add(sample);
            next = (Math.Floor(sample.Seconds / bin) + 1) * bin;
        }

        if (ends[^1].Seconds < Samples[^1].Seconds) ends.Add(Samples[^1]);
        return ends;
    }

    /// <summary>The longest time between two samples within a span: what lies below it could not be seen.</summary>
    public double LongestGap(double from, double to)
    {
        double longest = 0;
        for (int i = 1; i < Samples.Count; i++)
        {
            if (Samples[i].Seconds >= from && Samples[i - 1].Seconds <= to)
                longest = Math.Max(longest, Samples[i].Seconds - Samples[i - 1].Seconds);
        }

        return longest;
    }

    /// <summary>The mean throughput over a span, in operations a second.</summary>
    public double Rate(double from, double to) => (OperationsAt(to) - OperationsAt(from)) / (to - from);

    /// <summary>
    /// The lowest throughput over any <paramref name="window"/> seconds within a span, wherever the window begins; over
    /// the span itself, lengthened to a window, if it is shorter.
    /// </summary>
    public double Worst(double from, double to, double window)
    {
        // A piecewise linear count has its slowest window where the window begins or ends at a sample or the span.
        double last = Math.Max(from, to - window);
        double worst = Math.Min(Rate(from, from + window), Rate(last, last + window));
        foreach (Sample sample in Samples)
        {
            if (sample.Seconds >= from && sample.Seconds <= last)
                worst = Math.Min(worst, Rate(sample.Seconds, sample.Seconds + window));
            if (sample.Seconds - window >= from && sample.Seconds <= last + window)
                worst = Math.Min(worst, Rate(sample.Seconds - window, sample.Seconds));
        }

        return worst;
    }

    /// <summary>How many operations had been done at a time, taken as even between two samples.</summary>
    private double OperationsAt(double seconds)
    {
        int next = 1;
        int past = Samples.Count - 1;
        while (next < past)
        {
            int middle = (next + past) / 2;
            if (Samples[middle].Seconds < seconds)
                next = middle + 1;
            else
                past = middle;
        }

        (Sample a, Sample b) = (Samples[next - 1], Samples[next]);
        double part = Math.Clamp((seconds - a.Seconds) / (b.Seconds - a.Seconds), 0, 1);
        return a.Operations + part * (b.Operations - a.Operations);
    }
}
