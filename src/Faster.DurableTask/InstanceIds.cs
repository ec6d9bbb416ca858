namespace Faster.DurableTask;

/// <summary>What may be an instance's id: checked before a step, which could not be taken back.</summary>
internal static class InstanceIds
{
    /// <summary>Throws if a text can't be an id.</summary>
    /// <exception cref="ArgumentException">It is null, empty, too long, or has half of a surrogate pair.</exception>
    public static void Check(string? id)
    {
        ArgumentException.ThrowIfNullOrEmpty(id);
        if (id.Length > DurableHubOptions.MaxInstanceIdLength)
        {
            throw new ArgumentException(
                $"An instance's id has {id.Length} characters, more than {DurableHubOptions.MaxInstanceIdLength}.",
                nameof(id));
        }

        for (int i = 0; i < id.Length; i++)
        {
            if (!char.IsSurrogate(id[i])) continue;
            if (i + 1 < id.Length && char.IsSurrogatePair(id[i], id[i + 1])) i++;
            else throw new ArgumentException("An instance's id has half of a surrogate pair.", nameof(id));
        }
    }
}
