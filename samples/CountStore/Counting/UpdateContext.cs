namespace CountStore.Counting;

/// <summary>What an update carries to its completion callback.</summary>
/// <param name="Failed">Collects the updates that fail.</param>
/// <param name="SerialNumber">The update's number in its session.</param>
internal readonly record struct UpdateContext(FailedUpdates Failed, long SerialNumber)
{
    /// <summary>Notes how the update has ended.</summary>
    public void End(Exception? error)
    {
        if (error is not null) Failed.Add(SerialNumber);
    }
}
