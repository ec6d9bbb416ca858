namespace Faster.Tests.Engines.Transactional.Histories;

/// <summary>
/// Decides whether a history of transactions is that of some order in which they ran one after another, and each
/// session's in its own order; and whether each commit beside them is the state at some place of that order.
/// </summary>
/// <remarks>
/// A history is so exactly if these edges make no cycle: from each transaction to the next one of its session; from
/// the one that wrote a value to those that read it (wr), and to the one that replaced it (ww); from those that read a
/// value to the one that replaced it (rw). The values of a key follow one another as the transactions that replaced
/// them say. A commit is a transaction that has read every record; besides, it comes after what it holds of each
/// session, and before what it lacks. So it holds no half of a transaction, and all that one of its transactions has
/// built on.
/// </remarks>
internal static class SerializabilityChecker
{
    /// <summary>Looks for what no order explains.</summary>
    /// <param name="sessions">The transactions of each session, in its order.</param>
    /// <param name="commits">The commits beside them.</param>
    /// <returns>What was found; or null.</returns>
    public static string? FindViolation(
        IReadOnlyList<IReadOnlyList<CommittedTransaction>> sessions, params IReadOnlyList<HistoryCommit> commits)
    {
        CommittedTransaction[] transactions = [.. sessions.SelectMany(static session => session)];
        CommittedTransaction[] all =
            [.. transactions, .. commits.Select(static commit => new CommittedTransaction(commit.Values, []))];
        var writers = new Dictionary<(long Key, long Value), int>();
        var replacers = new Dictionary<(long Key, long Value), int>();
        for (int i = 0; i < all.Length; i++)
        {
            foreach ((long key, long value) in all[i].Writes)
            {
                writers.Add((key, value), i);
                if (!replacers.TryAdd((key, all[i].Reads[key]), i))
                {
                    int other = replacers[(key, all[i].Reads[key])];
                    return $"Lost update: {all[other]} and {all[i]} replace the same value.";
                }
            }
        }

        List<int>[] edges = [.. all.Select(static _ => new List<int>())];
        for (int session = 0, first = 0; session < sessions.Count; first += sessions[session++].Count)
        {
            int end = first + sessions[session].Count;
            for (int i = first + 1; i < end; i++) edges[i - 1].Add(i);
            for (int commit = 0; commit < commits.Count; commit++)
            {
                int lacked = first + commits[commit].Held[session];
                if (lacked > first) edges[lacked - 1].Add(transactions.Length + commit);
                if (lacked < end) edges[transactions.Length + commit].Add(lacked);
            }
        }

        for (int i = 0; i < all.Length; i++)
        {
            foreach ((long key, long value) in all[i].Reads)
            {
                if (replacers.TryGetValue((key, value), out int next) && next != i) edges[i].Add(next);
                if (value == 0) continue;
                if (!writers.TryGetValue((key, value), out int writer))
                    return $"Nobody has written what is read: {all[i]}";
                if (writer == i) return $"A value is read before it is written: {all[i]}";
                edges[writer].Add(i);
            }
        }

        string NameOf(int i) =>
            i < transactions.Length ? transactions[i].ToString() : commits[i - transactions.Length].ToString();
        return FindCycle(edges) is { } cycle ? $"A cycle: {string.Join(" -> ", cycle.Select(NameOf))}" : null;
    }

    // Depth-first, on a stack of its own: a history is long.
    private static List<int>? FindCycle(List<int>[] edges)
    {
        var state = new byte[edges.Length]; // 0: not met; 1: on the way; 2: in no cycle
        var next = new int[edges.Length];
        var way = new List<int>();
        for (int start = 0; start < edges.Length; start++)
        {
            if (state[start] != 0) continue;
            way.Add(start);
            state[start] = 1;
            while (way.Count > 0)
            {
                int at = way[^1];
                if (next[at] == edges[at].Count)
                {
                    state[at] = 2;
                    way.RemoveAt(way.Count - 1);
                    continue;
                }

                int to = edges[at][next[at]++];
                if (state[to] == 1) return way[way.IndexOf(to)..];
                if (state[to] != 0) continue;
                state[to] = 1;
                way.Add(to);
            }
        }

        return null;
    }
}
