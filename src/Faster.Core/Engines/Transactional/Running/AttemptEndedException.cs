namespace Faster.Engines.Transactional.Running;

/// <summary>
/// Unwinds the method of a dynamic transaction whose attempt has ended. No caller of the library sees it.
/// </summary>
internal sealed class AttemptEndedException()
    : Exception("The transaction runs again: others held one of its records. Its method must not catch this.");
